#include "heddle/replayed_runs.h"

namespace heddle {

void settle(ReplayedRuns& runs, bool are_whole) {
  runs.verdict = Verdict::unknown;
  if (runs.runs == 0) return;
  if (runs.confirmed == runs.runs) {
    runs.verdict = Verdict::violated;
  } else if (runs.confirmed == 0 && are_whole) {
    runs.verdict = Verdict::satisfied;
  }
}

std::string_view replay_word(const ReplayedRuns& runs) {
  if (!runs.obstacle.empty()) return "not replayable";
  if (runs.runs > 0 && runs.confirmed == runs.runs) return "confirmed";
  return runs.confirmed == 0 ? "not confirmed" : "not always";
}

}  // namespace heddle

#include "report/text/replayed_runs.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace heddle {

std::string runs_head(std::string_view word, const ReplayedRuns& runs, const std::string& where,
                      const std::string& what) {
  if (!runs.obstacle.empty()) {
    return fmt::format("{} {}, {}: {}", word, where, printable(runs.obstacle), what);
  }
  return fmt::format("{} {}/{} {}: {}", word, runs.confirmed, runs.runs, where, what);
}

void judge_case(const ReplayedRuns& runs, std::string_view failure, TestCase& test) {
  if (runs.verdict == Verdict::violated) {
    test.outcome = CaseOutcome::failure;
    test.type = failure;
  } else if (runs.verdict == Verdict::unknown) {
    test.outcome = CaseOutcome::error;
    test.type = runs.obstacle.empty() ? "not-always" : "not-replayable";
  }
}

}  // namespace heddle

// One line for each finding that was run again, and one for all of them.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/explore/replay_reports.h"
#include "report/text/layout.h"

namespace heddle {

std::string replay_line(const ReplayedFile& replayed) {
  return fmt::format("{}: {}", printable(replayed.file), replayed.told->head);
}

std::string replay_summary(std::span<const ReplayedFile> replayed, std::size_t left) {
  std::size_t every = 0;
  std::size_t some = 0;
  std::size_t none = 0;
  std::size_t open = 0;
  std::size_t failed = 0;
  for (const ReplayedFile& each : replayed) {
    if (!each.told) {
      ++failed;
      continue;
    }
    if (!each.told->is_replayable) {
      ++open;
      continue;
    }
    const Verdict verdict = each.told->verdict;
    ++(verdict == Verdict::violated ? every : verdict == Verdict::satisfied ? none : some);
  }
  const auto counted = [](std::size_t count, std::string_view what) {
    return fmt::format("{} {}", count, what);
  };
  std::vector<std::string> parts;
  if (every > 0) parts.push_back(counted(every, "confirmed by every run"));
  if (some > 0) parts.push_back(counted(some, "not by every run, or cut short"));
  if (none > 0) parts.push_back(counted(none, "shown by no run"));
  if (open > 0) parts.push_back(counted(open, "not replayable"));
  if (failed > 0) parts.push_back(counted(failed, "could not be run"));
  if (left > 0) parts.push_back(counted(left, "not come to"));
  const std::size_t all = replayed.size() + left;
  return fmt::format("{} {}: {}", all, all == 1 ? "finding" : "findings", join(parts, ", "));
}

}  // namespace heddle

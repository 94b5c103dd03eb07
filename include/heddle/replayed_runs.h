/// ReplayedRuns: what running a finding again gave, of whatever it is a finding: of a scenario, of
/// a running system, of a thread program. What each kind tells besides stands in its own report.
///
///   ReplayedRuns runs{.runs = 10, .confirmed = 10};
///   settle(runs, true);
///   to_string(runs.verdict);  // "violated": it was confirmed every time
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/verdict.h"

namespace heddle {

struct ReplayedRuns {
  std::uint32_t runs = 0;
  std::uint32_t confirmed = 0;  ///< runs that came out as the finding says
  /// Per run that did not: what it came to.
  std::vector<std::string> differences = {};
  /// Why no run was made; empty: runs were made.
  std::string obstacle = {};
  Verdict verdict = Verdict::unknown;  ///< violated: every run came out so; satisfied: none did

  friend bool operator==(const ReplayedRuns&, const ReplayedRuns&) = default;
};

/// Sets the verdict by the runs. Where some run came to no end, or ran something else, runs that do
/// not show the finding do not say that it is gone: `are_whole` is false.
void settle(ReplayedRuns& runs, bool are_whole);

/// "confirmed", "not always", "not confirmed", "not replayable".
std::string_view replay_word(const ReplayedRuns& runs);

}  // namespace heddle

// The chopped program is searched again with each guarantee, the weaker ones first. A cause is
// removed by the first one with which none of its cycles is found. Serializable functionalities
// have no cycles at all, so that nobody has to search for that.
#include "split/cycles/needs.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "find/terms/search_input.h"
#include "split/cycles/cycle_key.h"
#include "split/cycles/uncut_cycles.h"

namespace heddle::chopping {

namespace {

constexpr std::array kSearched = {IsolationLevel::causal, IsolationLevel::transactional_causal,
                                  IsolationLevel::snapshot};

bool is_open(const SplitCause& cause) { return cause.is_core && !cause.needs; }

// As the chopped program numbers its statements: the cut may have added some.
std::string key_of(const FoundCycle& cycle) {
  return cycle_key(cycle, [](std::size_t /*functionality*/, std::size_t statement) {
    return std::optional(statement);
  });
}

std::set<std::string> cycles_in(const FindReport& found) {
  std::set<std::string> keys;
  for_each_cycle(found, [&](const FoundCycle& cycle) { keys.insert(key_of(cycle)); });
  return keys;
}

}  // namespace

Result<void> find_needs(const FindOptions& options, SplitReport& report) {
  const auto end = find::end_of(options.timeout_ms);
  FindOptions weaker = options;
  for (const IsolationLevel level : kSearched) {
    const bool is_given = report.across && implies(*report.across, level);
    if (is_given || std::ranges::none_of(report.causes, is_open)) continue;
    weaker.across = level;
    weaker.timeout_ms = find::left_ms(end);
    const Result<FindReport> found = find_anomalies(report.chopped.program, weaker);
    if (!found) return found.error();
    if (!found->bound.empty()) {
      report.bound += (report.bound.empty() ? "" : "; ") + ("what causes need: " + found->bound);
      return {};
    }
    const std::set<std::string> left = cycles_in(*found);
    for (SplitCause& cause : report.causes) {
      const bool is_removed = std::ranges::none_of(
          cause.cycles, [&](const FoundCycle& cycle) { return left.contains(key_of(cycle)); });
      if (is_open(cause) && is_removed) cause.needs = level;
    }
  }
  for (SplitCause& cause : report.causes) {
    if (is_open(cause)) cause.needs = IsolationLevel::serializable;
  }
  return {};
}

}  // namespace heddle::chopping

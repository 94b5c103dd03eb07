// heddle::execute_split(): the cores of a cut, executed as findings of the chopped program.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "heddle/find.h"
#include "heddle/split.h"

namespace heddle {

namespace {

// Cycles of one cause that are worth a try, the shortest of the gravest kind first.
constexpr std::size_t kMostCycles = 3;

FoundCause cause_to_execute(const SplitCause& cause) {
  FoundCause found{.kind = cause.kind, .cores = {}, .extensions = {}};
  for (const FoundCycle& cycle : cause.cycles) {
    if (found.cores.size() == kMostCycles) break;
    found.cores.push_back(cycle);
  }
  return found;
}

bool is_same(const FoundCycle& a, const FoundCycle& b) {
  return a.nodes == b.nodes && a.edges == b.edges;
}

}  // namespace

Result<void> execute_split(const SplitOptions& options, const ExecuteOptions& execution,
                           SplitReport& report) {
  FindOptions find = options.find;
  find.level = report.within;
  find.levels.clear();
  find.max_length = report.max_length;
  FindReport found;
  for (std::size_t i = 0; i < report.chopped.program.functionalities.size(); ++i) {
    found.levels.push_back({.level = report.within, .origin = LevelOrigin::given});
  }
  for (const SplitCause& cause : report.causes) {
    if (cause.is_core) found.causes.push_back(cause_to_execute(cause));
  }
  if (Result<void> done = execute_findings(report.chopped.program, find, execution, found); !done) {
    return done;
  }
  // They come back in another order.
  for (FoundCause& cause : found.causes) {
    const auto place = std::ranges::find_if(report.causes, [&](const SplitCause& one) {
      return is_same(one.cycles.front(), cause.cores.front());
    });
    if (place != report.causes.end()) place->execution = std::move(cause.execution);
  }
  if (!found.bound.empty()) report.bound += (report.bound.empty() ? "" : "; ") + found.bound;
  return {};
}

}  // namespace heddle

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

// The weakest level that keeps what each of the functionality's services promises: what happens at
// it happens at theirs, too.
IsolationLevel level_for(const SplitReport& report, std::size_t functionality) {
  const std::vector<SubTransaction>& subs = report.chopped.sub_transactions[functionality];
  if (subs.empty()) return report.within;
  const auto keeps_all = [&](IsolationLevel level) {
    return std::ranges::all_of(subs, [&](const SubTransaction& sub) {
      return implies(level, report.levels[sub.service]);
    });
  };
  for (const SubTransaction& sub : subs) {
    if (keeps_all(report.levels[sub.service])) return report.levels[sub.service];
  }
  const auto all = isolation_levels();
  const auto found = std::ranges::find_if(all, keeps_all, &LevelDefinition::level);
  return found == all.end() ? IsolationLevel::postgres_serializable : found->level;
}

// What does not happen at a level above that of a service may happen at that.
bool runs_above(const SplitReport& report, const SplitCause& cause) {
  for (const std::vector<SplitPart>& parts : cause.parts) {
    const std::size_t functionality = parts.front().functionality;
    const IsolationLevel level = level_for(report, functionality);
    for (const SubTransaction& sub : report.chopped.sub_transactions[functionality]) {
      if (report.levels[sub.service] != level) return true;
    }
  }
  return false;
}

// No database checks keys between services.
Program without_torn_keys(const SplitReport& report) {
  Program program = report.chopped.program;
  for (Table& table : program.schema.tables) {
    std::erase_if(table.foreign_keys, [&](const ForeignKeyConstraint& key) {
      return std::ranges::any_of(report.torn_keys, [&](const TornKey& torn) {
        return torn.table == table.name && torn.columns == key.columns;
      });
    });
  }
  return program;
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
  // A session of a run has one level.
  find.levels_of_statements.clear();
  find.max_length = report.max_length;
  FindReport found;
  for (std::size_t i = 0; i < report.chopped.program.functionalities.size(); ++i) {
    found.levels.push_back({.level = level_for(report, i), .origin = LevelOrigin::given});
  }
  for (const SplitCause& cause : report.causes) {
    if (cause.is_core) found.causes.push_back(cause_to_execute(cause));
  }
  const Program program = without_torn_keys(report);
  if (Result<void> done = execute_findings(program, find, execution, found); !done) return done;
  // They come back in another order.
  for (FoundCause& cause : found.causes) {
    const auto place = std::ranges::find_if(report.causes, [&](const SplitCause& one) {
      return is_same(one.cycles.front(), cause.cores.front());
    });
    if (place == report.causes.end()) continue;
    place->execution = std::move(cause.execution);
    if (place->execution && place->execution->status == FindingStatus::refuted &&
        runs_above(report, *place)) {
      place->execution->status = FindingStatus::possible;
    }
  }
  if (!found.bound.empty()) report.bound += (report.bound.empty() ? "" : "; ") + found.bound;
  return {};
}

}  // namespace heddle

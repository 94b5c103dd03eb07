// heddle::execute_split(): the cores of a cut, executed as findings of the chopped program.
//
// The search asks about the operations of a cycle. Before one is executed it is asked about with
// everything that its transactions read: what no rows and arguments let happen then, such as a
// second payment of what is marked as paid, is refuted and needs no run.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "find/search_input.h"
#include "find/whole_check.h"
#include "heddle/find.h"
#include "heddle/split.h"

namespace heddle {

namespace {

// Cycles of one cause that are worth a try, the shortest of the gravest kind first.
constexpr std::size_t kMostCycles = 3;

// Of cores, in the order of the report, the cycles that may happen, as many as are executed.
std::vector<std::vector<FoundCycle>> possible_cycles(const SplitReport& report,
                                                     const find::SearchInput& input,
                                                     std::size_t jobs) {
  std::vector<const SplitCause*> cores;
  for (const SplitCause& cause : report.causes) {
    if (cause.is_core) cores.push_back(&cause);
  }
  const bool is_mixed = std::ranges::any_of(
      report.levels, [&](IsolationLevel level) { return level != report.within; });
  std::vector<std::vector<FoundCycle>> possible(cores.size());
  run_parallel(cores.size(), jobs, [&](std::size_t i) {
    for (const FoundCycle& cycle : cores[i]->cycles) {
      if (possible[i].size() == kMostCycles) return;
      const bool is_asked = !is_mixed && !input.is_late();
      if (is_asked && find::is_impossible_in_whole(input, cycle)) continue;
      possible[i].push_back(cycle);
    }
  });
  return possible;
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

// Each has a level of its own where they differ.
std::vector<ServiceDeclaration> services_of(const SplitReport& report) {
  const bool is_mixed = std::ranges::any_of(
      report.levels, [&](IsolationLevel level) { return level != report.within; });
  std::vector<ServiceDeclaration> services;
  for (std::size_t k = 0; k < report.cut.services.size(); ++k) {
    ServiceDeclaration& service = services.emplace_back();
    service.name = report.cut.services[k].name;
    if (is_mixed) service.isolation = report.levels[k];
    for (const CutTable& table : report.cut.services[k].tables) {
      service.tables.push_back(table.name);
    }
  }
  return services;
}

bool is_same(const FoundCycle& a, const FoundCycle& b) {
  return a.nodes == b.nodes && a.edges == b.edges;
}

std::vector<std::vector<FoundCycle>> possible_in_whole(const SplitReport& report,
                                                       FindOptions options,
                                                       const ExecuteOptions& execution) {
  options.timeout_ms = execution.timeout_ms;
  const find::SearchInput input = find::prepare_search(
      report.chopped.program, options,
      std::vector<FunctionalityLevel>(report.chopped.program.functionalities.size(),
                                      {.level = report.within, .origin = LevelOrigin::given}));
  return possible_cycles(report, input, execution.jobs);
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
  const std::vector<std::vector<FoundCycle>> possible = possible_in_whole(report, find, execution);
  std::size_t next = 0;
  for (SplitCause& cause : report.causes) {
    if (!cause.is_core) continue;
    const std::vector<FoundCycle>& cycles = possible[next++];
    if (cycles.empty()) {
      cause.execution = {.status = FindingStatus::refuted,
                         .reason =
                             "no rows and arguments let it happen, with all that its "
                             "transactions read",
                         .was_run = false,
                         .finding = {}};
      continue;
    }
    found.causes.push_back({.kind = cause.kind, .cores = cycles, .extensions = {}});
  }
  const Program program = without_torn_keys(report);
  ExecuteOptions divided = execution;
  divided.services = services_of(report);
  if (Result<void> done = execute_findings(program, find, divided, found); !done) return done;
  // They come back in another order.
  for (FoundCause& cause : found.causes) {
    const auto place = std::ranges::find_if(report.causes, [&](const SplitCause& one) {
      return std::ranges::any_of(
          one.cycles, [&](const FoundCycle& cycle) { return is_same(cycle, cause.cores.front()); });
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

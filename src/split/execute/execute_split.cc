// heddle::execute_split(): the cores of a cut, executed as findings of the chopped program.
//
// The search asks about the operations of a cycle. Before one is executed it is asked about with
// everything that its transactions read: what no rows and arguments let happen then, such as a
// second payment of what is marked as paid, is refuted and needs no run. What comes to the same in
// either order, such as two sums, is executed behind the others, and refuted unless its run shows
// something all the same.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "base/text.h"
#include "find/either_order.h"
#include "find/search_input.h"
#include "find/whole_check.h"
#include "heddle/find.h"
#include "heddle/split.h"

namespace heddle {

namespace {

// Cycles of one cause that are worth a try, the shortest of the gravest kind first.
constexpr std::size_t kMostCycles = 3;

// Of a core the cycles that may happen, as many as are executed: first those that may do harm.
struct PossibleCycles {
  std::vector<FoundCycle> cycles;
  std::string why_harmless;  // empty: some may do harm
};

std::string to_the_same(const FoundEdge& idle) {
  return fmt::format("what its statements do to {} ({}) comes to the same in either order",
                     idle.table, join(idle.columns, ", "));
}

PossibleCycles possible_cycles(const SplitCause& core, const find::SearchInput& input,
                               bool is_mixed) {
  PossibleCycles possible;
  std::vector<FoundCycle> harmless;
  const FoundEdge* idle = nullptr;
  for (const FoundCycle& cycle : core.cycles) {
    if (possible.cycles.size() == kMostCycles) break;
    const FoundEdge* dependency = is_mixed ? nullptr : find::idle_dependency(input, cycle);
    if (dependency != nullptr && harmless.size() == kMostCycles) continue;
    const bool is_asked = !is_mixed && !input.is_late();
    if (is_asked && find::is_impossible_in_whole(input, cycle)) continue;
    if (idle == nullptr) idle = dependency;
    (dependency == nullptr ? possible.cycles : harmless).push_back(cycle);
  }
  if (possible.cycles.empty() && idle != nullptr) possible.why_harmless = to_the_same(*idle);
  const std::size_t left = std::min(kMostCycles - possible.cycles.size(), harmless.size());
  possible.cycles.insert(possible.cycles.end(), harmless.begin(),
                         harmless.begin() + static_cast<std::ptrdiff_t>(left));
  return possible;
}

// Of cores, in the order of the report.
std::vector<PossibleCycles> possible_cycles(const SplitReport& report,
                                            const find::SearchInput& input, std::size_t jobs) {
  std::vector<const SplitCause*> cores;
  for (const SplitCause& cause : report.causes) {
    if (cause.is_core) cores.push_back(&cause);
  }
  const bool is_mixed = std::ranges::any_of(
      report.levels, [&](IsolationLevel level) { return level != report.within; });
  std::vector<PossibleCycles> possible(cores.size());
  run_parallel(cores.size(), jobs,
               [&](std::size_t i) { possible[i] = possible_cycles(*cores[i], input, is_mixed); });
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

std::vector<PossibleCycles> possible_in_whole(const SplitReport& report, const Program& program,
                                              FindOptions options,
                                              const ExecuteOptions& execution) {
  options.timeout_ms = execution.timeout_ms;
  const find::SearchInput input = find::prepare_search(
      program, options,
      std::vector<FunctionalityLevel>(program.functionalities.size(),
                                      {.level = report.within, .origin = LevelOrigin::given}));
  return possible_cycles(report, input, execution.jobs);
}

// What did not show in a run and cannot do harm. A run that shows something is kept, even if
// another cycle is the reason.
void refute_harmless(const std::vector<PossibleCycles>& possible, SplitReport& report) {
  std::size_t next = 0;
  for (SplitCause& cause : report.causes) {
    if (!cause.is_core) continue;
    const std::string& why = possible[next++].why_harmless;
    const bool is_open = !cause.execution || cause.execution->status == FindingStatus::possible;
    if (why.empty() || !is_open) continue;
    if (!cause.execution) cause.execution.emplace();
    cause.execution->status = FindingStatus::refuted;
    cause.execution->reason = why;
  }
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
  // Else cores may have cycles that nobody knows.
  const bool is_complete = report.bound.empty();
  FindReport found;
  for (std::size_t i = 0; i < report.chopped.program.functionalities.size(); ++i) {
    found.levels.push_back({.level = level_for(report, i), .origin = LevelOrigin::given});
  }
  const Program program = without_torn_keys(report);
  const std::vector<PossibleCycles> possible = possible_in_whole(report, program, find, execution);
  std::size_t next = 0;
  for (SplitCause& cause : report.causes) {
    if (!cause.is_core) continue;
    const PossibleCycles& known = possible[next++];
    if (known.cycles.empty()) {
      cause.execution = {
          .status = is_complete ? FindingStatus::refuted : FindingStatus::possible,
          .reason = "no rows and arguments let it happen, with all that its transactions read",
          .was_run = false,
          .finding = {}};
      continue;
    }
    found.causes.push_back({.kind = cause.kind, .cores = known.cycles, .extensions = {}});
  }
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
  if (is_complete) refute_harmless(possible, report);
  if (!found.bound.empty()) report.bound += (report.bound.empty() ? "" : "; ") + found.bound;
  return {};
}

}  // namespace heddle

// All outcomes of a scenario, of every interleaving and of those that a reduction leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "explore/conflicts.h"
#include "explore/search.h"
#include "heddle/isolation.h"
#include "replay/replay_testing.h"

namespace heddle {

inline StoreServer& server_of(Dialect dialect) {
  return dialect == Dialect::postgres ? shared_server() : shared_mariadb();
}

struct ReducedLevel {
  Dialect dialect;
  IsolationLevel level;
};

inline constexpr ReducedLevel kReducedLevels[] = {
    {Dialect::postgres, IsolationLevel::postgres_read_committed},
    {Dialect::postgres, IsolationLevel::postgres_repeatable_read},
    {Dialect::mysql, IsolationLevel::mariadb_read_uncommitted},
    {Dialect::mysql, IsolationLevel::mariadb_read_committed},
    {Dialect::mysql, IsolationLevel::mariadb_repeatable_read},
    {Dialect::mysql, IsolationLevel::mariadb_serializable},
};

inline std::string outcome_text(const Scenario& scenario, const Run& run) {
  std::vector<std::string> parts;
  for (const StepRecord& record : run.records) {
    const SessionId session = scenario.steps[record.step.index()].session;
    if (std::ranges::find(run.aborted, session) != run.aborted.end()) continue;
    std::string replies = replies_text(record.replies);
    parts.push_back(scenario.steps[record.step.index()].name + " " + replies);
  }
  std::ranges::sort(parts);
  for (const SessionId session : run.aborted) {
    parts.push_back(scenario.sessions[session.index()].name + " aborted");
  }
  for (const TableState& table : run.tables) {
    parts.push_back(table.name + " " + rows_text(table.rows));
  }
  return join(parts, "\n");
}

struct ReducedOutcomes {
  std::set<std::string> texts;
  std::size_t runs = 0;
};

// `conflicts_of`: a scenario whose conflicts are used in place of its own, for canaries; or none.
inline ReducedOutcomes outcomes_of(const Scenario& scenario, const ReducedLevel& level, bool reduce,
                                   const Scenario* conflicts_of = nullptr) {
  std::vector<std::unique_ptr<Runner>> runners;
  runners.push_back(
      must(Runner::create(scenario, server_of(level.dialect), {level.level, 30'000})));
  const StepConflicts conflicts(conflicts_of == nullptr ? scenario : *conflicts_of,
                                runners.front()->catalogue(), runners.front()->statements(),
                                {level.dialect}, level.level);
  SearchOptions options;
  if (reduce) options.conflicts = &conflicts;
  const SearchResult found =
      must(search_interleavings(scenario, runners, {scripts_of(scenario)}, {}, options));
  ReducedOutcomes outcomes;
  outcomes.runs = found.interleavings;
  for (const OutcomeClass& outcome : found.classes) {
    outcomes.texts.insert(outcome_text(scenario, outcome.smallest));
  }
  return outcomes;
}

}  // namespace heddle

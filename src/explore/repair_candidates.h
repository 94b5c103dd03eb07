// What could be changed in a scenario so that its sessions get in each other's way no more.
#pragma once

#include <optional>
#include <vector>

#include "explore/scenario_changes.h"
#include "heddle/isolation.h"
#include "heddle/repair.h"
#include "heddle/scenario.h"
#include "heddle/statement.h"

namespace heddle {

struct RepairCandidate {
  RepairChange change;
  ScenarioChange edit;
};

// Where a scenario runs, as far as candidates depend on it.
struct RepairPlace {
  std::vector<Dialect> dialects;        // of each store
  std::optional<IsolationLevel> level;  // of sessions that set none
};

// Single changes, fewest statements first. Kinds that the stores do not know are left out; whether
// a change helps, and whether the stores take it, shows in running it.
std::vector<RepairCandidate> repair_candidates(const Scenario& scenario, const RepairPlace& place);

}  // namespace heddle

// Looks for repairs: tries sets of changes, the smallest first, each by running the changed
// scenario in all its interleavings.
//
// A set of changes is a repair when each serial order of the sessions gives what it gave before
// (the changes mean nothing to a session that is alone), no interleaving of the changed scenario is
// anomalous, and no invariant is broken. Repairs under which each two sessions can still run at the
// same time and both commit are better than all others. Most sets fail at once, in the orders of
// steps that went wrong before.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "explore/repair_candidates.h"
#include "heddle/explore.h"
#include "heddle/repair.h"
#include "store/store.h"

namespace heddle {

struct RepairSearch {
  const Scenario& scenario;
  StoreServer& server;
  RepairPlace place;
  std::optional<IsolationLevel> level;  // as the sessions are run at
  Unit unit = Unit::session;
  std::uint32_t jobs = 1;  // as many as the scenario may be run with
  std::uint32_t step_timeout_ms = 30'000;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::vector<Schedule> bad;  // schedules that go wrong, the simplest first
};

// Errors: the store is in trouble. An interrupt or the deadline is a bound.
Result<RepairReport> find_repairs(const RepairSearch& search);

}  // namespace heddle

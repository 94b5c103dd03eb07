// All interleavings of the scripts of a scenario, each executed once, grouped by outcome.
//
// Stateless search: a run follows a prefix of choices (which session goes next), then goes on with
// the same session as long as it can; every other session that was enabled on the way is a prefix
// of its own, to be run later. A blocked session is not enabled, so that orders that the store
// would not follow are never tried and no order is run twice. Prefixes with fewer preemptions go
// first: a search that is cut short has seen the simplest schedules.
//
// With conflicts, of two steps side by side that are not in conflict only one order is tried: a
// session whose next step has been tried at some point sleeps from then on until a step in conflict
// with it has run (sleep sets: Godefroid, "Partial-Order Methods for the Verification of Concurrent
// Systems", LNCS 1032, 1996).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/outcome.h"
#include "explore/conflicts.h"
#include "heddle/explore.h"
#include "heddle/schedule.h"
#include "replay/runner.h"

namespace heddle {

// Runs with one outcome and the same sessions ended by the store.
struct OutcomeClass {
  std::size_t script = 0;           // index of the scripts that were run
  Run smallest;                     // the run with the fewest switches, then first in order
  std::vector<Schedule> schedules;  // all, fewest switches first
};

struct SearchResult {
  std::vector<OutcomeClass> classes;  // sorted by their smallest schedule
  std::size_t interleavings = 0;
  std::size_t aborted_runs = 0;
  std::size_t waiting_runs = 0;  // in which a session waited
  std::string bound;             // empty: the search was exhaustive
  // What the store has died of after so many interleavings; none: it lives.
  std::optional<Diagnostic> trouble = {};
};

struct SearchOptions {
  std::optional<std::uint32_t> preemptions;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::function<void(std::size_t, std::size_t)> progress;
  const StepConflicts* conflicts = nullptr;  // none: all orders
};

// Whether they began with the same rows. What the clock or chance put into some before the first
// step is another value in each database; outcomes are compared value by value there.
bool begin_alike(const Runner& a, const Runner& b);

// One thread per runner, which all began alike. With `plans`, only these schedules are run (a step
// of a blocked session is put off until it can run) and scripts[i] belongs to plans[i]; without,
// all interleavings of scripts[0].
Result<SearchResult> search_interleavings(const Scenario& scenario,
                                          std::vector<std::unique_ptr<Runner>>& runners,
                                          const std::vector<SessionScripts>& scripts,
                                          const std::vector<Schedule>& plans,
                                          const SearchOptions& options);

// What ends the work when interrupted() holds: "interrupted", or which bound was hit.
std::string stop_text();

// Fewest switches first, then in order of steps: the order in which people want to see schedules.
bool is_simpler(const Scenario& scenario, const Schedule& a, const Schedule& b);

}  // namespace heddle

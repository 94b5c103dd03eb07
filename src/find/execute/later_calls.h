// What has gone wrong may show only when somebody goes on: an order number that was skipped is a
// gap once the next order is there. So, for invariants that no run has broken, runs that did damage
// are made again with one more call behind them, which comes when everything that was done has come
// everywhere.
//
// The call is one of the run's own, of a functionality that writes a table of the invariant. That
// leaves out what needs other arguments, or several calls.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "find/execute/cause_runs.h"
#include "find/realize/realize.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/scenario.h"

namespace heddle::find {

// The run, and behind it the call that its transaction `again` is once more.
Realization with_later_call(const Realization& run, std::size_t again);

struct LaterCalls {
  const Program& program;
  const ExecuteOptions& options;
  // What the store runs. Error: it cannot.
  std::function<Result<Scenario>(const Realization&)> scenario_of;
  // Runs a cycle and judges it.
  std::function<FoundExecution(const FoundCycle&, const Realization&)> execute;
  std::function<bool()> is_over;
};

// Adds to the executions of the report what further calls break that none of them does. `damage`:
// by cause. The same report whatever the number of jobs is.
void execute_later_calls(const LaterCalls& calls,
                         const std::vector<std::vector<DamagingRun>>& damage, FindReport& report);

}  // namespace heddle::find

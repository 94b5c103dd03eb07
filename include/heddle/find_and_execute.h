/// find, and the execution of what it finds, side by side.
///
///   Result<ExecutedSearch> done = find_and_execute(*program, FindOptions{}, execution);
///   for (const FoundCause& cause : done->report.causes) use(cause.execution);
///
/// The report is that of find_anomalies() and execute_findings() one after the other. Where the
/// work ends early (a limit of time, an interrupt, a store that dies), some of what was found until
/// then has been executed, and the report's bound says what was not.
#pragma once

#include <optional>

#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/program_repair.h"
#include "heddle/result.h"

namespace heddle {

/// What a search with execution gave.
struct ExecutedSearch {
  FindReport report;
  std::optional<Diagnostic> trouble = {};  ///< what the store has died of meanwhile; none: nothing
};

/// The limit of time is the one of `options`. Errors: those of find_anomalies(), and those of
/// execute_findings() that come before anything is executed.
Result<ExecutedSearch> find_and_execute(const Program& program, const FindOptions& options,
                                        const ExecuteOptions& execution);

/// Runs repairs on the store: whatever the report has confirmed is run with the repair's
/// functionalities and levels, from the same rows and with the same arguments, in all orders with
/// at most two preemptions. The limit of time is the one of `options`, from now on. Program and
/// report outlive what is returned.
RepairTrial make_repair_trial(const Program& program, const FindReport& report,
                              const FindOptions& options, const ExecuteOptions& execution);

}  // namespace heddle

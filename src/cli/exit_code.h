// From what a command found to the exit status of the process.
#pragma once

#include <cstdint>

#include "cli/options/command.h"
#include "cli/options/options.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/replay.h"
#include "heddle/result.h"
#include "heddle/split.h"
#include "heddle/split_failures.h"

namespace heddle {

ExitCode exit_code_of(Verdict verdict);
ExitCode exit_code_of(const Diagnostic& diagnostic);
// A level counts as violated by findings that are not suppressed; without any it is in order, or
// unknown where a bound was hit.
ExitCode exit_code_of(const LevelReport& level);
// What makes a command that looks for anomalies say that it found something.
enum class FailOn : std::uint8_t {
  any,        // whatever is not refuted
  confirmed,  // what a run has shown
};
FailOn fail_on(const Arguments& arguments);
// Errors: --fail-on=confirmed where nothing is executed.
Result<void> check_fail_on(const Arguments& arguments);

// Causes that were left out of what is printed count, too.
ExitCode exit_code_of(const FindReport& report, FailOn what);
// `failures`: null where nobody asked for them.
ExitCode exit_code_of(const SplitReport& report, const FailureReport* failures, FailOn what);

// A violated level outweighs one that a bound left open.
ExitCode exit_code_of(const ExploreReport& report);

// Of what was only printed: not found by a search, but perhaps read in part where a bound was hit.
ExitCode exit_code_of_print();

// The one of the two that a script must hear of: interrupted, trouble, found, unknown, nothing.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace heddle

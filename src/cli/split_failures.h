// What heddle split --failures is told, and what it does.
#pragma once

#include <vector>

#include "cli/options/deadline.h"
#include "cli/options/options.h"
#include "heddle/result.h"
#include "heddle/split.h"
#include "heddle/split_failures.h"

namespace heddle {

// --failures, --compensations, --invariants and --rows.
std::vector<OptionDefinition> failure_options();

// Errors: options that need others which are not there.
Result<void> check_failure_options(const Arguments& arguments);

// How to execute what a cut adds to the program, and failures.
Result<ExecuteOptions> split_execution(const Arguments& arguments, const CommandDeadline& deadline,
                                       const Program& program);

// REQUIRES: --failures was given.
Result<FailureReport> examine_failures(const Arguments& arguments, const SplitOptions& options,
                                       const CommandDeadline& deadline, const SplitReport& split);

}  // namespace heddle

// heddle explore --explain=why-not.
#pragma once

#include <vector>

#include "cli/exit_code.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "heddle/explore.h"
#include "heddle/scenario.h"

namespace heddle {

// Options that mean nothing for it.
Result<void> check_why_not(const Arguments& arguments);

// REQUIRES: check_why_not(arguments).
Result<ExitCode> print_why_not(const std::vector<Scenario>& scenarios, const Arguments& arguments,
                               const ExploreOptions& options, Output& output);

}  // namespace heddle

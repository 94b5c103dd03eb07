// What heddle race --replay and heddle replay ask for alike: how long a system is waited for, and
// what counts as a failure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command.h"
#include "cli/options/options.h"
#include "frontend/config/config.h"
#include "heddle/race_finding.h"
#include "race/replay/replayed_system.h"

namespace heddle {

// --idle, --health-timeout, --rest-timeout.
std::vector<OptionDefinition> replay_bound_options(std::string_view group);
ReplayBounds chosen_bounds(const Arguments& arguments, const Config& config);

// Of what is started: what heddle itself was started with.
std::vector<std::string> started_environment();

// --fail-on=RESULT.
OptionDefinition failing_results_option(std::string_view group);
// The results for which the exit code is 1; confirmed ones always are.
std::vector<RaceResult> failing_results(const std::vector<std::string>& fail_on);

}  // namespace heddle

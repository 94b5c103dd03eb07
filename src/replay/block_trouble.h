// Errors of the blocks of a scenario that a runner runs itself.
#pragma once

#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "heddle/scenario.h"

namespace heddle {

// `whose`: "setup", for the message.
Diagnostic block_trouble(const Scenario& scenario, const SqlBlock& block, const std::string& whose,
                         const StepError& error);

// Null: nothing was refused.
const StepError* first_error(const std::vector<Reply>& replies);

}  // namespace heddle

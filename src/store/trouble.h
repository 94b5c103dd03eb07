// Errors of a store that say something about the machine or the server (throwaway/server_trouble.h)
// rather than about what a user wrote.
#pragma once

#include <string>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "throwaway/server_trouble.h"

namespace heddle {

// The store failed, not the statement: no room, no memory, files that cannot be read or written,
// damaged data, a connection that ended. Such an error says nothing about a scenario.
bool is_store_trouble(const StepError& error);

// The connection is gone. What libpq says of it depends on who noticed first, so that it is not
// quoted.
Diagnostic lost_connection();

// REQUIRES: is_store_trouble(error). `doing` names what failed: "step w1", "the setup".
Diagnostic trouble_with(const std::string& doing, const StepError& error);

}  // namespace heddle

// Levels that single sessions and services of a scenario have.
#pragma once

#include "heddle/result.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// Whether the store has them. The error is at the place of the session or service.
Result<void> offers_own_levels(const Scenario& scenario, const StoreServer& server);

}  // namespace heddle

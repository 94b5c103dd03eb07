// The isolation levels that a scenario sets itself.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/isolation.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// Each block that names a level, and the level as it is written.
std::vector<std::pair<const SqlBlock*, std::string>> own_levels(const Scenario& scenario,
                                                                const StoreServer& server);

// Whether a session or a statement has a level of its own.
bool sets_own_levels(const Scenario& scenario, const StoreServer& server);

// The level to run at and to report where none was asked for: none where statements set their own.
std::optional<IsolationLevel> stated_level(const Scenario& scenario, const StoreServer& server);

}  // namespace heddle

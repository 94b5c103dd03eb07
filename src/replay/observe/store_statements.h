// Statements as the stores of a scenario know their tables.
#pragma once

#include <string>
#include <vector>

#include "heddle/scenario.h"
#include "heddle/statement.h"
#include "store/store.h"

namespace heddle {

// The statements of a text for that store of the scenario. Where it has several, the names of
// tables carry the name of their store, as in the catalogue.
Result<std::vector<Statement>> statements_for(const std::string& text, std::size_t store,
                                              const Scenario& scenario, Dialect dialect);

// The table's name without the schema that needs none.
std::string display_name(const std::string& table);

}  // namespace heddle

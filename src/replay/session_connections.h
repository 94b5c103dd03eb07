// How many connections the sessions of a scenario have to their database, and which one a text is
// for.
#pragma once

#include <memory>
#include <string>

#include "heddle/result.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// The database whose sessions have a connection to each service (store/services.h), or as many as
// the functionalities need that are called; as it is where one will do. Errors: bad_input with its
// place, for a store that has no such sessions.
Result<std::unique_ptr<StoreDatabase>> with_connections(std::unique_ptr<StoreDatabase> database,
                                                        const Scenario& scenario);

// "f has transactions open on several connections at the same time"; empty: none that is called
// has.
std::string uses_of_several_connections(const Scenario& scenario);

// Where services divide the tables of a store: which one a text is for, by the tables that it uses,
// else by the sequences that it names, else by what it does to the transaction. Error: bad_input,
// tables of several services.
Result<ConnectionTurn> service_turn(const std::string& text, const StoreDatabase& database);

}  // namespace heddle

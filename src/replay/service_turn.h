// Where services divide the tables of a store (store/services.h): which one a text is for.
#pragma once

#include <string>

#include "heddle/result.h"
#include "store/store.h"

namespace heddle {

// By the tables that the text uses, else by the sequences that it names, else by what it does to
// the transaction. Error: bad_input, tables of several services.
Result<ServiceTurn> service_turn(const std::string& text, const StoreDatabase& database);

}  // namespace heddle

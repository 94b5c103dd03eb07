// What a formula about whole transactions does not say exactly of a functionality, so that nothing
// is proved by it.
#pragma once

#include <cstddef>
#include <string>

#include "find/terms/search_input.h"

namespace heddle::find {

// For people: "a join (bank.sql:12)"; empty: nothing is left open.
std::string left_open(const SearchInput& input, std::size_t functionality);

}  // namespace heddle::find

// Calls that may have run before a cycle.
#pragma once

#include <cstddef>
#include <vector>

#include "find/terms/search_input.h"

namespace heddle::find {

// All sequences of so many calls that may leave something for the members, each call for these or
// for one behind it, in the order of their functionalities. Sessions of several calls are none.
std::vector<std::vector<std::size_t>> prefixes_of(const SearchInput& input,
                                                  const std::vector<std::size_t>& members,
                                                  std::size_t length);

}  // namespace heddle::find

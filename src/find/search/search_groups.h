// The sets of functionalities that are searched, each on its own.
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::find {

// All multisets of two to `most` of the numbers below `count`, the smaller first, sorted.
std::vector<std::vector<std::size_t>> groups_up_to(std::size_t most, std::size_t count);

}  // namespace heddle::find

// Numbers with their words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

// "1 cause", "2 causes".
std::string counted(std::size_t count, std::string_view one, std::string_view many);

// "within 4 operations and 3 transactions, after at most 2 calls": how far cycles were looked for,
// in any report.
std::string within_bounds(std::size_t operations, std::size_t transactions, std::size_t calls = 0);

}  // namespace heddle

#include "heddle/race.h"

#include <array>

namespace heddle {

std::string_view to_string(RacePattern pattern) {
  static constexpr std::array<std::string_view, 5> kNames = {
      "creation", "lost update", "check then act", "write and write", "read and write"};
  return kNames[static_cast<std::size_t>(pattern)];
}

std::string_view to_string(RaceStep step) {
  static constexpr std::array<std::string_view, 4> kNames = {"instance", "flow", "locks", "kept"};
  return kNames[static_cast<std::size_t>(step)];
}

}  // namespace heddle

#include "heddle/race.h"

#include <array>

namespace heddle {

std::string_view to_string(RaceStep step) {
  static constexpr std::array<std::string_view, 4> kNames = {"instance", "flow", "locks", "kept"};
  return kNames[static_cast<std::size_t>(step)];
}

}  // namespace heddle

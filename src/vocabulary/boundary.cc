#include <array>

#include "heddle/interpret.h"

namespace heddle {

std::string_view to_string(Boundary boundary) {
  static constexpr std::array<std::string_view, 6> kWords = {
      "begin", "commit", "rollback", "savepoint", "rollback to savepoint", "release savepoint"};
  return kWords.at(static_cast<std::size_t>(boundary));
}

}  // namespace heddle

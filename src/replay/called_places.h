// At which steps of its session each statement of a called functionality may run.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heddle/program.h"

namespace heddle {

// Steps from 0, as many as there would be if none did all that is left.
struct CalledPlace {
  std::size_t earliest = 0;
  std::optional<std::size_t> latest;  // none: there is no last one

  // Whether the statement may run in the step of that number, of so many.
  bool may_be(std::size_t step, std::size_t steps) const {
    const bool is_over = latest && *latest < step;
    return !is_over && (earliest <= step || step + 1 == steps);
  }
};

// In the order of list_statements(). Never narrower than what happens; exact where the
// functionality has neither branches nor loops nor handlers.
std::vector<CalledPlace> called_places(const Functionality& functionality);

}  // namespace heddle

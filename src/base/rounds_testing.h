// How long random tests go on.
#pragma once

#include <cstdlib>

namespace heddle {

// `quick` rounds, or as many times that as the environment's HEDDLE_TEST_SCALE says, which
// scripts/check-all sets.
inline std::size_t test_rounds(std::size_t quick) {
  const char* const scale = std::getenv("HEDDLE_TEST_SCALE");
  const std::size_t times = scale == nullptr ? 1 : std::strtoul(scale, nullptr, 10);
  return times == 0 ? quick : quick * times;
}

}  // namespace heddle

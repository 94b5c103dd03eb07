// The words that documents of races use, as lists to choose from when reading.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "heddle/race.h"
#include "heddle/race_finding.h"

namespace heddle {

// The two requests, or branches, in the order in which they were recorded.
inline constexpr std::array<std::string_view, 2> kPartyNames = {"A", "B"};

inline std::vector<std::string_view> race_result_slugs() {
  std::vector<std::string_view> slugs;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(RaceResult::not_reached); ++i) {
    slugs.push_back(slug(static_cast<RaceResult>(i)));
  }
  return slugs;
}

inline std::vector<std::string_view> race_pattern_slugs() {
  std::vector<std::string_view> slugs;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(RacePattern::read_and_write); ++i) {
    slugs.push_back(slug(static_cast<RacePattern>(i)));
  }
  return slugs;
}

}  // namespace heddle

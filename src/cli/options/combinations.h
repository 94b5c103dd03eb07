// Which options do not go together and which need another one, as rows of a table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cli/options/options.h"
#include "heddle/result.h"

namespace heddle {

enum class CombinationRule : std::uint8_t { excludes, needs };

struct Combination {
  std::string_view option;
  std::string_view value = {};  // only with it; empty: whenever the option is given
  CombinationRule rule = CombinationRule::excludes;
  std::string_view other = {};
  std::string_view other_value = {};
  std::string_view what = {};        // empty: that the two do not go together
  std::string_view what_to_do = {};  // empty: to leave one of the two out
};

// Errors: bad_input for the first row that is broken. REQUIRES: the command has the options.
Result<void> check_combinations(const Arguments& arguments, std::span<const Combination> rows);

}  // namespace heddle

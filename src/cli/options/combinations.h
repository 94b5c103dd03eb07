// Which options do not go together and which need another one, as rows of a table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "cli/options/options.h"
#include "heddle/result.h"

namespace heddle {

// `idles`: as `excludes`, because the option would mean nothing.
enum class CombinationRule : std::uint8_t { excludes, idles, needs };

struct Combination {
  std::string_view option;
  std::string_view value = {};  // only with it; empty: whenever the option is given
  CombinationRule rule = CombinationRule::excludes;
  std::string_view other = {};
  std::string_view other_value = {};
  std::string_view what = {};        // empty: that the two do not go together
  std::string_view what_to_do = {};  // empty: to leave one of the two out
};

// The option is about what the other one asks for.
constexpr Combination needs_option(std::string_view option, std::string_view other,
                                   std::string_view what, std::string_view what_to_do) {
  return {.option = option,
          .rule = CombinationRule::needs,
          .other = other,
          .what = what,
          .what_to_do = what_to_do};
}

// A row for each of the options, none of which means anything with the other one.
template <std::size_t count>
constexpr std::array<Combination, count> idle_with(
    std::string_view other, std::string_view other_value,
    const std::array<std::string_view, count>& options) {
  std::array<Combination, count> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows[i] = {.option = options[i],
               .rule = CombinationRule::idles,
               .other = other,
               .other_value = other_value};
  }
  return rows;
}

// Errors: bad_input for the first row that is broken. REQUIRES: the command has the options.
Result<void> check_combinations(const Arguments& arguments, std::span<const Combination> rows);

}  // namespace heddle

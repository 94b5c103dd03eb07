#include "cli/options/combinations.h"

#include <string>

#include <fmt/format.h>

namespace heddle {

namespace {

// A value that is given, or stands for none, counts alike.
bool is_given(const Arguments& arguments, std::string_view option, std::string_view value) {
  return value.empty() ? arguments.has(option) : arguments.text(option) == value;
}

std::string written(std::string_view option, std::string_view value) {
  return value.empty() ? std::string(option) : fmt::format("{}={}", option, value);
}

std::string_view words_of(CombinationRule rule) {
  switch (rule) {
    case CombinationRule::excludes:
      return "does not go with";
    case CombinationRule::idles:
      return "means nothing with";
    case CombinationRule::needs:
      return "means nothing without";
  }
  return "";
}

Diagnostic broken(const Combination& row) {
  const std::string option = written(row.option, row.value);
  const std::string other = written(row.other, row.other_value);
  Diagnostic trouble{.what = std::string(row.what), .what_to_do = std::string(row.what_to_do)};
  if (row.what.empty()) trouble.what = fmt::format("{} {} {}", option, words_of(row.rule), other);
  if (row.what_to_do.empty()) {
    trouble.what_to_do = row.rule == CombinationRule::needs ? fmt::format("add {}", other)
                                                            : "leave one of the two out";
  }
  return trouble;
}

}  // namespace

Result<void> check_combinations(const Arguments& arguments, std::span<const Combination> rows) {
  for (const Combination& row : rows) {
    if (!is_given(arguments, row.option, row.value)) continue;
    const bool has_other = is_given(arguments, row.other, row.other_value);
    if (has_other == (row.rule != CombinationRule::needs)) return broken(row);
  }
  return {};
}

}  // namespace heddle

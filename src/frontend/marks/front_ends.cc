#include "frontend/marks/front_ends.h"

#include <algorithm>
#include <iterator>

namespace heddle::marks {

namespace {

constexpr FrontEnd kFrontEnds[] = {
    {.family = Family::sql, .ending = ".sql", .what = "SQL"},
    {.family = Family::java, .ending = ".java", .what = "Java with JDBC", .is_told_by_text = true},
};

}  // namespace

std::span<const FrontEnd> front_ends() { return kFrontEnds; }

const FrontEnd* front_end_of(std::string_view path) {
  const auto* const found = std::ranges::find_if(
      kFrontEnds, [&](const FrontEnd& one) { return path.ends_with(one.ending); });
  return found == std::end(kFrontEnds) ? nullptr : found;
}

bool has_front_end(Family family) {
  return std::ranges::find(kFrontEnds, family, &FrontEnd::family) != std::end(kFrontEnds);
}

}  // namespace heddle::marks

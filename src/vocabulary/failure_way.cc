#include <array>
#include <string_view>

#include "heddle/split_failures.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 3> kWays = {"stop", "lost answer", "compensation"};

}  // namespace

std::string_view to_string(FailureWay way) { return kWays[static_cast<std::size_t>(way)]; }

}  // namespace heddle

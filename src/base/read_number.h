// Numbers and times as people write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

// A whole number in decimal digits.
Result<std::uint64_t> parse_number(std::string_view text);

// "30" and "30s" are seconds; also "500ms", "2m", "1h". More than nothing, at most 49 days (the
// range of 32-bit milliseconds).
Result<std::uint32_t> parse_duration(std::string_view text);

}  // namespace heddle

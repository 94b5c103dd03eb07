// Points in time as whole numbers, so that they are compared and computed with as what they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::find {

inline constexpr std::int64_t kSecondsOfDay = std::int64_t{24} * 60 * 60;
inline constexpr std::int64_t kFirstDay = 1'577'836'800;  // 2020-01-01, in seconds since 1970

// "2024-02-29", "2024-02-29 10:30", "2024-02-29T10:30:00": seconds since the first day; none: it is
// written otherwise, or has parts of seconds or a zone.
std::optional<std::int64_t> seconds_of_moment(std::string_view text);
// "10:30", "10:30:15": seconds since midnight.
std::optional<std::int64_t> seconds_of_time(std::string_view text);
// "1 day", "2 hours 30 minutes", "-3 weeks": seconds; none: it has months or years, or is written
// otherwise.
std::optional<std::int64_t> seconds_of_interval(std::string_view text);

}  // namespace heddle::find

// Dates, times and spans of time as numbers, and as ISO texts: PostgreSQL's DateStyle ISO and
// IntervalStyle postgres.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::interpreter {

inline constexpr std::int64_t kSecond = 1'000'000;  // microseconds
inline constexpr std::int64_t kDay = 86'400 * kSecond;

// PostgreSQL's interval.
struct Span {
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t microseconds = 0;
};

// Days since 1970-01-01 in the Gregorian calendar, also before it was introduced.
struct Civil {
  std::int64_t year = 1970;
  std::int64_t month = 1;
  std::int64_t day = 1;
};
std::int64_t days_of(const Civil& civil);
Civil civil_of(std::int64_t days);
std::int64_t days_in_month(std::int64_t year, std::int64_t month);

// None: not in the ISO form, which is the only one that is read.
std::optional<std::int64_t> parse_date(std::string_view text);
std::optional<std::int64_t> parse_time(std::string_view text);
// A date alone is its midnight. A zone is an offset such as +02 or -03:30, or Z; without one where
// it `has_zone`, UTC.
std::optional<std::int64_t> parse_timestamp(std::string_view text, bool has_zone);
std::optional<Span> parse_span(std::string_view text);

std::string date_text(std::int64_t days);
std::string time_text(std::int64_t microseconds);
std::string timestamp_text(std::int64_t microseconds, bool has_zone);
std::string span_text(const Span& span);

// Of equal length: a month has 30 days, a day 24 hours.
bool is_less(const Span& a, const Span& b);

// The day of the month is cut to what the month has.
std::int64_t add_span(std::int64_t timestamp, const Span& span, int sign);

}  // namespace heddle::interpreter

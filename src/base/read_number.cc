#include "base/read_number.h"

#include <charconv>
#include <limits>
#include <string>

namespace heddle {

namespace {

struct DurationUnit {
  std::string_view suffix;
  std::uint64_t milliseconds;
};

// "ms" stands before "m" and "s", which it ends or begins with.
constexpr DurationUnit kDurationUnits[] = {
    {"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"", 1'000}};

constexpr std::string_view kDurationForm = "write it as 30 or 30s, 500ms, 2m, 1h";

}  // namespace

Result<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error == std::errc::result_out_of_range) {
    return Diagnostic{.what = "is too large", .what_to_do = "give a smaller number"};
  }
  if (error != std::errc() || stop != end) {
    return Diagnostic{.what = "is not a whole number", .what_to_do = "write it in decimal digits"};
  }
  return number;
}

Result<std::uint32_t> parse_duration(std::string_view text) {
  for (const DurationUnit& unit : kDurationUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const Result<std::uint64_t> number =
        parse_number(text.substr(0, text.size() - unit.suffix.size()));
    if (!number) break;
    if (*number == 0) {
      return Diagnostic{.what = "is no time at all", .what_to_do = "give more than 0"};
    }
    if (*number > std::numeric_limits<std::uint32_t>::max() / unit.milliseconds) {
      return Diagnostic{.what = "is too long", .what_to_do = "give at most 1000h"};
    }
    return static_cast<std::uint32_t>(*number * unit.milliseconds);
  }
  return Diagnostic{.what = "is not a duration", .what_to_do = std::string(kDurationForm)};
}

}  // namespace heddle

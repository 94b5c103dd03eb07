#include "cli/options/values.h"

#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "heddle/isolation.h"

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

Diagnostic refused(const OptionDefinition& option, std::string_view value, std::string_view why,
                   std::string what_to_do) {
  return {.what = fmt::format("{}={} {}", option.name, value, why),
          .what_to_do = std::move(what_to_do)};
}

std::string one_of(std::string_view value, const std::vector<std::string>& choices) {
  const std::string closest = closest_word(value, choices);
  if (!closest.empty()) return fmt::format("did you mean \"{}\"?", closest);
  return "use one of: " + join(choices, ", ");
}

std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (const LevelDefinition& level : isolation_levels()) names.emplace_back(level.name);
  return names;
}

Result<void> check_number(const OptionDefinition& option, std::string_view value) {
  const Result<std::uint64_t> number = parse_number(value);
  const std::uint64_t least = option.kind == ValueKind::count ? 1 : 0;
  if (!number) return refused(option, value, number.error().what, number.error().what_to_do);
  if (*number < least) {
    return refused(option, value, "is too small", fmt::format("give at least {}", least));
  }
  // Numbers and counts bound loops and pools, which use 32 bits; only seeds use all 64.
  constexpr std::uint64_t kMost = 1'000'000;
  if (option.kind != ValueKind::seed && *number > kMost) {
    return refused(option, value, "is too large", fmt::format("give at most {}", kMost));
  }
  return {};
}

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

Result<void> check_value(const OptionDefinition& option, std::string_view value) {
  if (option.kind == ValueKind::flag) return {};
  if (value.empty()) {
    return refused(option, value, "is empty",
                   fmt::format("write {}={}", option.name, option.value));
  }
  switch (option.kind) {
    case ValueKind::number:
    case ValueKind::count:
    case ValueKind::seed:
      return check_number(option, value);
    case ValueKind::duration: {
      const Result<std::uint32_t> duration = parse_duration(value);
      if (duration) return {};
      return refused(option, value, duration.error().what, duration.error().what_to_do);
    }
    case ValueKind::choice: {
      for (const std::string_view choice : option.choices) {
        if (choice == value) return {};
      }
      const std::vector<std::string> choices(option.choices.begin(), option.choices.end());
      return refused(option, value, "is not one of the choices", one_of(value, choices));
    }
    case ValueKind::level:
      if (find_isolation_level(value)) return {};
      return refused(option, value, "is not an isolation level", one_of(value, level_names()));
    default:
      return {};
  }
}

}  // namespace heddle

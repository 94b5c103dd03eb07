#include "cli/options/values.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/read_number.h"
#include "base/text.h"
#include "heddle/isolation.h"

namespace heddle {

namespace {

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

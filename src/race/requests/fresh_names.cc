#include "race/requests/fresh_names.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_uuid(std::string_view text) {
  constexpr std::string_view kForm = "00000000-0000-0000-0000-000000000000";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_digit_place = kForm[i] == '0';
    const char lower = to_lower(text.substr(i, 1)).front();
    const bool is_hexadecimal = is_digit(lower) || (lower >= 'a' && lower <= 'f');
    if (is_digit_place ? !is_hexadecimal : text[i] != '-') return false;
  }
  return true;
}

// With other last digits.
std::string fresh_uuid(std::string_view recorded, std::uint64_t run) {
  constexpr std::size_t kChanged = 8;
  const std::string_view last = recorded.substr(recorded.size() - kChanged);
  std::uint32_t value = 0;
  std::from_chars(last.data(), last.data() + last.size(), value, 16);
  value += static_cast<std::uint32_t>(run) * 0x9e3779b1U;
  return std::string(recorded.substr(0, recorded.size() - kChanged)) + fmt::format("{:08x}", value);
}

// Numbers that were recorded are often neighbours, so that the new ones lie far away.
std::string fresh_number(std::string_view recorded, std::uint64_t run) {
  std::uint64_t number = 0;
  const char* const end = recorded.data() + recorded.size();
  if (std::from_chars(recorded.data(), end, number).ec != std::errc()) return std::string(recorded);
  std::uint64_t least = 1;
  for (std::size_t i = 1; i < recorded.size(); ++i) least *= 10;
  std::uint64_t most = least > std::numeric_limits<std::uint64_t>::max() / 10
                           ? std::numeric_limits<std::uint64_t>::max()
                           : least * 10 - 1;
  constexpr std::uint64_t kMostInt = std::numeric_limits<std::int32_t>::max();
  constexpr std::uint64_t kMostBigInt = std::numeric_limits<std::int64_t>::max();
  if (number <= kMostInt) most = std::min(most, kMostInt);
  if (number <= kMostBigInt) most = std::min(most, kMostBigInt);
  const std::uint64_t range = most - least + 1;
  constexpr std::uint64_t kStep = 7919;
  const std::uint64_t step = run % range * kStep % range;
  return std::to_string(least + (number - least + step) % range);
}

}  // namespace

std::string fresh_value(std::string_view recorded, std::uint64_t run) {
  if (run == 0) return std::string(recorded);
  if (is_number(recorded)) return fresh_number(recorded, run);
  if (is_uuid(recorded)) return fresh_uuid(recorded, run);
  const std::size_t at = std::min(recorded.find('@'), recorded.size());
  return fmt::format("{}-h{}{}", recorded.substr(0, at), run, recorded.substr(at));
}

FreshNames fresh_names(const RequestDependencies& dependencies, const PairPlan& plan,
                       std::uint64_t run) {
  FreshNames fresh{.run = run};
  if (run == 0) return fresh;
  std::set<std::string> values;
  for (const CreatedName& each : dependencies.created) {
    const bool is_planned = each.unit == plan.first || each.unit == plan.second ||
                            std::ranges::find(plan.before, each.unit) != plan.before.end();
    if (is_planned) values.insert(each.value);
  }
  for (const std::string& each : values) fresh.names.push_back({each, fresh_value(each, run)});
  std::ranges::stable_sort(fresh.names, std::ranges::greater(),
                           [](const FreshName& each) { return each.recorded.size(); });
  return fresh;
}

}  // namespace heddle

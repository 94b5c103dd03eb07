#include "find/forms/moments.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace heddle::find {

namespace {

template <class Number>
bool read_number(std::string_view text, Number& into) {
  const char* const begin = text.data();  // NOLINT(bugprone-suspicious-stringview-data-usage)
  const char* const end = begin + text.size();
  return !text.empty() && std::from_chars(begin, end, into).ptr == end;
}

// Two digits; none: others stand there.
std::optional<int> two_digits(std::string_view text) {
  int value = 0;
  const bool is_number = text.size() == 2 && text[0] != '-' && read_number(text, value);
  return is_number ? std::optional(value) : std::nullopt;
}

struct Unit {
  std::string_view name;
  std::int64_t seconds;
};

constexpr std::array kUnits = {Unit{"second", 1},
                               Unit{"sec", 1},
                               Unit{"minute", 60},
                               Unit{"min", 60},
                               Unit{"hour", 3'600},
                               Unit{"day", kSecondsOfDay},
                               Unit{"week", 7 * kSecondsOfDay}};

}  // namespace

std::optional<std::int64_t> seconds_of_time(std::string_view text) {
  const bool has_seconds = text.size() == 8;
  if (text.size() != 5 && !has_seconds) return std::nullopt;
  const auto hours = two_digits(text.substr(0, 2));
  const auto minutes = two_digits(text.substr(3, 2));
  const auto seconds = has_seconds ? two_digits(text.substr(6, 2)) : std::optional(0);
  const bool has_form = text[2] == ':' && (!has_seconds || text[5] == ':');
  if (!has_form || !hours || !minutes || !seconds) return std::nullopt;
  if (*hours > 23 || *minutes > 59 || *seconds > 59) return std::nullopt;
  return std::int64_t{*hours} * 3'600 + std::int64_t{*minutes} * 60 + *seconds;
}

std::optional<std::int64_t> seconds_of_moment(std::string_view text) {
  constexpr std::size_t kDate = 10;
  int year = 0;
  if (text.size() < kDate || !read_number(text.substr(0, 4), year)) return std::nullopt;
  const auto month = two_digits(text.substr(5, 2));
  const auto day = two_digits(text.substr(8, 2));
  if (text[4] != '-' || text[7] != '-' || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t midnight = days * kSecondsOfDay - kFirstDay;
  if (text.size() == kDate) return midnight;
  if (text[kDate] != ' ' && text[kDate] != 'T') return std::nullopt;
  const auto time = seconds_of_time(text.substr(kDate + 1));
  return time ? std::optional(midnight + *time) : std::nullopt;
}

std::optional<std::int64_t> seconds_of_interval(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : to_lower(text) + ' ') {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (words.size() == 1) return seconds_of_time(words[0]);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    std::int64_t number = 0;
    if (i + 1 >= words.size() || !read_number(words[i], number)) return std::nullopt;
    std::string_view name = words[i + 1];
    if (name.ends_with('s')) name.remove_suffix(1);
    const auto* const unit = std::ranges::find(kUnits, name, &Unit::name);
    if (unit == kUnits.end() || std::abs(number) > 1'000'000) return std::nullopt;
    sum += number * unit->seconds;
  }
  return words.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace heddle::find

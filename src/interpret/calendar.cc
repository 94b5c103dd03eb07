#include "interpret/calendar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::interpreter {

namespace {

constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDaysOfMonth = 30;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

struct Unit {
  std::string_view name;
  std::int64_t months;
  std::int64_t days;
  std::int64_t microseconds;
};
constexpr std::array kUnits = {
    Unit{"year", 12, 0, 0},        Unit{"month", 1, 0, 0},     Unit{"mon", 1, 0, 0},
    Unit{"week", 0, 7, 0},         Unit{"day", 0, 1, 0},       Unit{"hour", 0, 0, kHour},
    Unit{"minute", 0, 0, kMinute}, Unit{"min", 0, 0, kMinute}, Unit{"second", 0, 0, kSecond},
    Unit{"sec", 0, 0, kSecond},
};

// Takes digits off the front of the text.
std::optional<std::int64_t> take_number(std::string_view& text, std::size_t least,
                                        std::size_t most) {
  std::size_t count = 0;
  while (count < text.size() && count < most && text[count] >= '0' && text[count] <= '9') ++count;
  if (count < least) return std::nullopt;
  std::int64_t value = 0;
  const std::string digits(text.substr(0, count));
  std::from_chars(digits.data(), digits.data() + count, value);
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char symbol) {
  if (!text.starts_with(symbol)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> take_date(std::string_view& text) {
  const auto year = take_number(text, 4, 6);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 1, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 1, 2);
  const bool is_date = day && *year >= 1 && *month >= 1 && *month <= 12 && *day >= 1 &&
                       *day <= days_in_month(*year, *month);
  if (!is_date) return std::nullopt;
  return days_of({*year, *month, *day});
}

std::optional<std::int64_t> take_clock(std::string_view& text, std::size_t most_hour_digits) {
  const auto hour = take_number(text, 1, most_hour_digits);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  std::int64_t result = *hour * kHour + *minute * kMinute;
  if (!take(text, ':')) return result;
  const auto second = take_number(text, 2, 2);
  if (!second || *second > 59) return std::nullopt;
  result += *second * kSecond;
  if (!take(text, '.')) return result;
  const std::size_t before = text.size();
  auto fraction = take_number(text, 1, 6);
  if (!fraction) return std::nullopt;
  for (std::size_t digits = before - text.size(); digits < 6; ++digits) *fraction *= 10;
  return result + *fraction;
}

// What is to be subtracted for UTC.
std::optional<std::int64_t> take_zone(std::string_view& text) {
  if (take(text, 'Z')) return 0;
  const bool west = text.starts_with('-');
  if (!west && !text.starts_with('+')) return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_number(text, 2, 2);
  if (!hours) return std::nullopt;
  std::int64_t offset = *hours * kHour;
  if (take(text, ':')) {
    const auto minutes = take_number(text, 2, 2);
    if (!minutes) return std::nullopt;
    offset += *minutes * kMinute;
  }
  return west ? -offset : offset;
}

std::string clock_text(std::int64_t microseconds) {
  std::string text = fmt::format("{:02}:{:02}:{:02}", microseconds / kHour,
                                 microseconds / kMinute % 60, microseconds / kSecond % 60);
  if (const std::int64_t fraction = microseconds % kSecond; fraction != 0) {
    text += fmt::format(".{:06}", fraction);
    while (text.back() == '0') text.pop_back();
  }
  return text;
}

// "1 year", "-2 mons".
void add_unit(std::vector<std::string>& parts, std::int64_t count, std::string_view unit,
              bool after_negative) {
  if (count == 0) return;
  parts.push_back(fmt::format("{}{} {}{}", after_negative && count > 0 ? "+" : "", count, unit,
                              count == 1 ? "" : "s"));
}

}  // namespace

// H. Hinnant, "chrono-compatible low-level date algorithms": years begin in March, so that the
// day that leap years add is the last.
std::int64_t days_of(const Civil& civil) {
  const std::int64_t year = civil.year - (civil.month <= 2 ? 1 : 0);
  const std::int64_t era = floor_divide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month = (civil.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month + 2) / 5 + civil.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

Civil civil_of(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = floor_divide(days, 146'097);
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  Civil civil;
  civil.day = day_of_year - (153 * month + 2) / 5 + 1;
  civil.month = month < 10 ? month + 3 : month - 9;
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  return civil;
}

std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
  static constexpr std::array<std::int64_t, 12> kDays = {31, 28, 31, 30, 31, 30,
                                                         31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays.at(static_cast<std::size_t>(month - 1));
}

std::optional<std::int64_t> parse_date(std::string_view text) {
  const auto days = take_date(text);
  return text.empty() ? days : std::nullopt;
}

std::optional<std::int64_t> parse_time(std::string_view text) {
  const auto time = take_clock(text, 2);
  const bool is_time = time && text.empty() && *time <= kDay;
  return is_time ? time : std::nullopt;
}

std::optional<std::int64_t> parse_timestamp(std::string_view text, bool has_zone) {
  const auto days = take_date(text);
  if (!days) return std::nullopt;
  std::int64_t result = *days * kDay;
  if (take(text, ' ') || take(text, 'T')) {
    const auto time = take_clock(text, 2);
    if (!time || *time > kDay) return std::nullopt;
    result += *time;
  }
  if (!text.empty()) {
    const auto zone = take_zone(text);
    if (!zone || !text.empty()) return std::nullopt;
    if (has_zone) result -= *zone;
  }
  return result;
}

// "1 year 2 mons -3 days 04:05:06.7", also with the units that people write.
std::optional<Span> parse_span(std::string_view text) {
  Span span;
  text = trim(text);
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const bool negative = take(text, '-');
    if (!negative) take(text, '+');
    const std::int64_t sign = negative ? -1 : 1;
    std::string_view rest = text;
    if (const auto clock = take_clock(rest, 6)) {
      span.microseconds += sign * *clock;
      text = trim(rest);
      continue;
    }
    const auto count = take_number(text, 1, 9);
    if (!count) return std::nullopt;
    text = trim(text);
    std::size_t end = 0;
    while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
    std::string unit(text.substr(0, end));
    if (unit.ends_with('s') && unit.size() > 1) unit.pop_back();
    const auto* const known = std::ranges::find(kUnits, unit, &Unit::name);
    if (known == kUnits.end()) return std::nullopt;
    span.months += sign * *count * known->months;
    span.days += sign * *count * known->days;
    span.microseconds += sign * *count * known->microseconds;
    text = trim(text.substr(end));
  }
  return span;
}

std::string date_text(std::int64_t days) {
  const Civil civil = civil_of(days);
  if (civil.year < 1) {
    return fmt::format("{:04}-{:02}-{:02} BC", 1 - civil.year, civil.month, civil.day);
  }
  return fmt::format("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day);
}

std::string time_text(std::int64_t microseconds) { return clock_text(microseconds); }

std::string timestamp_text(std::int64_t microseconds, bool has_zone) {
  const std::int64_t days = floor_divide(microseconds, kDay);
  const std::string clock = clock_text(microseconds - days * kDay);
  std::string text = date_text(days);
  const bool before_christ = text.ends_with(" BC");
  if (before_christ) text.resize(text.size() - 3);
  return text + " " + clock + (has_zone ? "+00" : "") + (before_christ ? " BC" : "");
}

std::string span_text(const Span& span) {
  std::vector<std::string> parts;
  const std::int64_t years = span.months / 12;
  const std::int64_t months = span.months % 12;
  add_unit(parts, years, "year", false);
  add_unit(parts, months, "mon", years < 0);
  add_unit(parts, span.days, "day", months < 0 || (months == 0 && years < 0));
  if (span.microseconds != 0 || parts.empty()) {
    const bool negative = span.microseconds < 0;
    const bool after_negative =
        span.days < 0 || (span.days == 0 && (months < 0 || (months == 0 && years < 0)));
    const std::string_view sign = negative ? "-" : after_negative ? "+" : "";
    parts.push_back(std::string(sign) + clock_text(std::abs(span.microseconds)));
  }
  return join(parts, " ");
}

bool is_less(const Span& a, const Span& b) {
  const auto days = [](const Span& span) { return span.months * kDaysOfMonth + span.days; };
  // Whole days are carried, so that no length overflows.
  const std::int64_t a_days = days(a) + floor_divide(a.microseconds, kDay);
  const std::int64_t b_days = days(b) + floor_divide(b.microseconds, kDay);
  if (a_days != b_days) return a_days < b_days;
  return a.microseconds - floor_divide(a.microseconds, kDay) * kDay <
         b.microseconds - floor_divide(b.microseconds, kDay) * kDay;
}

std::int64_t add_span(std::int64_t timestamp, const Span& span, int sign) {
  std::int64_t days = floor_divide(timestamp, kDay);
  const std::int64_t clock = timestamp - days * kDay;
  if (span.months != 0) {
    Civil civil = civil_of(days);
    const std::int64_t month = civil.year * 12 + civil.month - 1 + sign * span.months;
    civil.year = floor_divide(month, 12);
    civil.month = month - civil.year * 12 + 1;
    civil.day = std::min(civil.day, days_in_month(civil.year, civil.month));
    days = days_of(civil);
  }
  return (days + sign * span.days) * kDay + clock + sign * span.microseconds;
}

}  // namespace heddle::interpreter

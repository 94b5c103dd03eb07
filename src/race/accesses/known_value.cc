#include "race/accesses/known_value.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "base/text.h"
#include "wire/postgres/statement_essence.h"

namespace heddle::race {
namespace {

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

// 2026-01-31 12:00:00 and its beginnings.
bool looks_like_time(std::string_view text) {
  constexpr std::string_view kDate = "0000-00-00";
  if (text.size() < kDate.size()) return false;
  for (std::size_t i = 0; i < kDate.size(); ++i) {
    if (kDate[i] == '-' ? text[i] != '-' : !is_digit(text[i])) return false;
  }
  return true;
}

// The word for what a value of type boolean may be written as; empty: it is none.
std::string_view word_of_truth(std::string_view text) {
  if (equal_ignoring_case(text, "t") || equal_ignoring_case(text, "true")) return "true";
  if (equal_ignoring_case(text, "f") || equal_ignoring_case(text, "false")) return "false";
  return {};
}

}  // namespace

std::string comparable_text(std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (const auto number = number_of(trimmed); number && *number == 0) return "0";
  if (const std::string_view word = word_of_truth(trimmed); !word.empty()) return std::string(word);
  return to_lower(value_essence(trimmed));
}

Truth are_equal(const KnownValue& a, const KnownValue& b) {
  const auto is_null = [](const KnownValue& v) { return v.kind == KnownValue::Kind::null; };
  if (is_null(a) || is_null(b)) return Truth::null;
  if (!a.is_known() || !b.is_known()) return Truth::unknown;
  if (a.text == b.text) return Truth::yes;
  // They may be equal as numbers and differ as texts; nobody knows the column's type.
  return comparable_text(a.text) == comparable_text(b.text) ? Truth::unknown : Truth::no;
}

Truth is_less(const KnownValue& a, const KnownValue& b) {
  const auto is_null = [](const KnownValue& v) { return v.kind == KnownValue::Kind::null; };
  if (is_null(a) || is_null(b)) return Truth::null;
  if (!a.is_known() || !b.is_known()) return Truth::unknown;
  const std::string one = comparable_text(a.text);
  const std::string other = comparable_text(b.text);
  const auto first = number_of(one);
  const auto second = number_of(other);
  if (first && second && *first != *second) return *first < *second ? Truth::yes : Truth::no;
  if (one == other) return one == "0" || first ? Truth::unknown : Truth::no;
  const bool are_times =
      one.size() == other.size() && looks_like_time(one) && looks_like_time(other);
  if (!are_times) return Truth::unknown;  // by a collation that nobody knows
  return one < other ? Truth::yes : Truth::no;
}

Truth negated(Truth truth) {
  if (truth == Truth::yes) return Truth::no;
  if (truth == Truth::no) return Truth::yes;
  return truth;
}

}  // namespace heddle::race

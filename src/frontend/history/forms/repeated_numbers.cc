#include "frontend/history/forms/repeated_numbers.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace heddle {

namespace {

// More digits may not fit.
constexpr std::size_t kMostDigits = 18;

constexpr bool is_between(char c) { return c == ' ' || c == ','; }

}  // namespace

std::optional<std::span<const Value>> RepeatedNumbers::read(std::string_view text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  if (text.size() < text_.size() && text_.starts_with(text)) {
    const auto end = std::ranges::lower_bound(ends_, text.size());
    if (end != ends_.end() && *end == text.size()) {
      return std::span(elements_).first(static_cast<std::size_t>(end - ends_.begin()) + 1);
    }
  }
  if (!begins_as_known(text)) {
    text_ = {};
    elements_.clear();
    ends_.clear();
  }
  if (read_rest(text)) return std::span<const Value>(elements_);
  text_ = {};
  elements_.clear();
  ends_.clear();
  return std::nullopt;
}

// Whether it is the known text, or that and more elements.
bool RepeatedNumbers::begins_as_known(std::string_view text) const {
  if (!text.starts_with(text_)) return false;
  return text.size() == text_.size() || text_.empty() || is_between(text[text_.size()]);
}

bool RepeatedNumbers::read_rest(std::string_view text) {
  std::size_t at = text_.size();
  while (true) {
    while (at < text.size() && is_between(text[at])) ++at;
    if (at == text.size()) break;
    const bool is_negative = text[at] == '-';
    const std::size_t begin = is_negative ? at + 1 : at;
    std::int64_t number = 0;
    at = begin;
    for (; at < text.size() && is_digit(text[at]) && at - begin < kMostDigits; ++at) {
      number = number * 10 + (text[at] - '0');
    }
    const bool is_whole = at > begin && (at == text.size() || is_between(text[at]));
    if (!is_whole) return false;
    elements_.push_back(Value::number(is_negative ? -number : number));
    ends_.push_back(static_cast<std::uint32_t>(at));
  }
  text_ = text;
  return true;
}

}  // namespace heddle

#include "store/replicated/bound_values.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/replicated/tokens.h"

namespace heddle::replicated {

namespace {

bool is_any(std::string_view type, const auto& names) {
  return std::ranges::find(names, type) != std::end(names);
}

constexpr std::string_view kNumberTypes[] = {"smallint", "integer",          "bigint",
                                             "real",     "double precision", "numeric"};
// Drivers say of times no more than their text, since they do not know what the column takes.
constexpr std::string_view kMoments[] = {"", "date", "time without time zone",
                                         "timestamp without time zone", "timestamp with time zone"};

std::string quoted_literal(std::string_view value) {
  std::string text = "'";
  for (const char c : value) text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
}

// 12, -1.50, 1e3; no infinity.
bool is_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool has_digit = text.find_first_of("0123456789") != text.npos;
  return error == std::errc() && end == text.data() + text.size() && has_digit;
}

// Whether it looks like 2026-01-31 10:20:30.5+00 or 10:20:30+00, as far as digits go.
bool is_like(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '0' ? !is_digit(text[i]) : text[i] != pattern[i]) return false;
  }
  return true;
}

// Where the zone of a point in time begins; npos: it has none, or it is no such point.
std::size_t zone_begin(std::string_view text) {
  constexpr std::string_view kDay = "0000-00-00 ";
  constexpr std::string_view kTime = "00:00:00";
  const std::size_t time = is_like(text, kDay) ? kDay.size() : 0;
  if (!is_like(text.substr(time), kTime)) return text.npos;
  std::size_t at = time + kTime.size();
  if (at < text.size() && text[at] == '.') {
    ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
  }
  const bool is_zone = at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == 'Z');
  return is_zone ? at : text.npos;
}

Result<std::string> bound_literal(const BoundValue& value) {
  if (!value.text) return std::string("NULL");
  const std::string& text = *value.text;
  if (value.type == "boolean") {
    return std::string(text == "t" || text == "true" || text == "1" ? "TRUE" : "FALSE");
  }
  if (is_any(value.type, kNumberTypes)) {
    if (!is_number(text)) return quoted_literal(text);
    return text.starts_with('-') ? fmt::format("({})", text) : text;
  }
  const std::size_t zone = is_any(value.type, kMoments) ? zone_begin(text) : text.npos;
  if (zone == text.npos) return quoted_literal(text);
  constexpr std::string_view kUtc[] = {"+00", "-00", "Z", "+00:00", "-00:00", "+0000"};
  if (is_any(text.substr(zone), kUtc))
    return quoted_literal(std::string_view(text).substr(0, zone));
  return Diagnostic{
      .what = fmt::format("the replicated store knows no time zones, and {} has one", text),
      .what_to_do = "use points in time in UTC",
      .trouble = Trouble::bad_input};
}

}  // namespace

Result<std::string> with_values(std::string_view text, const std::vector<BoundValue>& values) {
  Tokens tokens = read_tokens(text);
  for (Token& token : tokens) {
    const bool is_numbered = token.kind == TokenKind::parameter && token.text.starts_with('$');
    if (!is_numbered) continue;
    std::size_t number = 0;
    std::from_chars(token.text.data() + 1, token.text.data() + token.text.size(), number);
    if (number == 0 || number > values.size()) {
      return Diagnostic{.what = fmt::format("{} has no value", token.text),
                        .trouble = Trouble::bad_input};
    }
    auto written = bound_literal(values[number - 1]);
    if (!written) return written;
    // A word may end where the parameter begins: LIMIT$1.
    token.text = (token.gap.empty() ? " " : "") + *std::move(written);
  }
  return to_text(tokens);
}

}  // namespace heddle::replicated

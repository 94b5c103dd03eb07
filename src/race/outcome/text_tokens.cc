// One pass from left to right; at each place the longest thing that is known by its look is taken.
#include "race/outcome/text_tokens.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

#include "base/text.h"

namespace heddle {

namespace {

// Shorter runs of letters and digits are words with numbers in them.
constexpr std::size_t kOpaqueLength = 16;
constexpr std::size_t kHexLength = 8;

bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// How many characters from the front on match: 9 a digit, a a letter, x a hexadecimal digit, others
// themselves. 0: it does not match.
std::size_t match_picture(std::string_view text, std::string_view picture) {
  if (text.size() < picture.size()) return 0;
  for (std::size_t i = 0; i < picture.size(); ++i) {
    const char c = text[i];
    const bool fits = picture[i] == '9'   ? is_digit(c)
                      : picture[i] == 'a' ? is_letter(c)
                      : picture[i] == 'x' ? is_hex_digit(c)
                                          : c == picture[i];
    if (!fits) return 0;
  }
  return picture.size();
}

std::size_t count_while(std::string_view text, bool (*belongs)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, belongs) - text.begin());
}

// A fraction of a second and a zone, behind a time of day.
std::size_t time_end_length(std::string_view text) {
  std::size_t length = 0;
  if (text.size() > 1 && (text[0] == '.' || text[0] == ',') && is_digit(text[1])) {
    length = 1 + count_while(text.substr(1), is_digit);
  }
  const std::string_view zone = text.substr(length);
  for (const std::string_view picture : {" GMT", " UTC", "Z", "+99:99", "-99:99", "+9999", "-9999",
                                         " +9999", " -9999", "+99", "-99"}) {
    if (const std::size_t matched = match_picture(zone, picture)) return length + matched;
  }
  return length;
}

std::size_t time_length(std::string_view text) {
  for (const std::string_view date : {"9999-99-99T", "9999-99-99 ", "9999/99/99 ",
                                      "99/aaa/9999:", "aaa, 99 aaa 9999 ", "aaa aaa 99 ", ""}) {
    const std::size_t begun = match_picture(text, date);
    if (begun != date.size()) continue;
    for (const std::string_view clock : {"99:99:99", "99:99"}) {
      // An hour and a minute alone may as well be a score.
      if (date.empty() && clock == "99:99") continue;
      const std::size_t told = match_picture(text.substr(begun), clock);
      if (told != 0) return begun + told + time_end_length(text.substr(begun + told));
    }
  }
  return 0;
}

std::size_t address_length(std::string_view text) {
  std::size_t length = 0;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (length >= text.size() || text[length++] != '.')) return 0;
    const std::size_t digits = count_while(text.substr(length), is_digit);
    if (digits == 0 || digits > 3) return 0;
    length += digits;
  }
  if (length + 1 < text.size() && text[length] == ':') {
    const std::size_t port = count_while(text.substr(length + 1), is_digit);
    if (port > 0 && port <= 5) length += 1 + port;
  }
  return length;
}

bool is_mixed(std::string_view run) {
  return std::ranges::any_of(run, is_digit) && std::ranges::any_of(run, is_letter);
}

// Parts of letters and digits with - _ . between, one of which looks like chance.
std::size_t opaque_length(std::string_view text) {
  const std::size_t hex = count_while(text, is_hex_digit);
  const std::size_t own = count_while(text, is_alphanumeric);
  if (hex == own && own >= kHexLength && is_mixed(text.substr(0, own))) return own;
  const auto is_part = [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  std::string_view all = text.substr(0, count_while(text, is_part));
  while (!all.empty() && !is_alphanumeric(all.back())) all.remove_suffix(1);
  if (all.size() < kOpaqueLength) return 0;
  for (std::size_t i = 0; i < all.size();) {
    const std::size_t part = count_while(all.substr(i), is_alphanumeric);
    if (part >= kOpaqueLength && is_mixed(all.substr(i, part))) return all.size();
    i += std::max<std::size_t>(part, 1);
  }
  return 0;
}

// Digits with a fraction; what has two points is a version, whose numbers stand for themselves.
std::size_t number_length(std::string_view text) {
  const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  const std::size_t digits = count_while(text.substr(sign), is_digit);
  if (digits == 0) return 0;
  const std::string_view rest = text.substr(sign + digits);
  if (rest.size() < 2 || rest[0] != '.' || !is_digit(rest[1])) return sign + digits;
  const std::size_t fraction = count_while(rest.substr(1), is_digit);
  const std::string_view behind = rest.substr(1 + fraction);
  const bool is_version = behind.size() > 1 && behind[0] == '.' && is_digit(behind[1]);
  return is_version ? sign + digits : sign + digits + 1 + fraction;
}

// The token that begins at `at`, as its kind and length.
std::pair<TokenKind, std::size_t> next_token(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const bool is_inside = at > 0 && is_alphanumeric(text[at - 1]);
  if (!is_inside) {
    const std::size_t uuid = match_picture(rest, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
    if (uuid != 0 && (uuid == rest.size() || !is_alphanumeric(rest[uuid]))) {
      return {TokenKind::uuid, uuid};
    }
    if (const std::size_t length = time_length(rest)) return {TokenKind::time, length};
    if (const std::size_t length = address_length(rest)) return {TokenKind::address, length};
    if (const std::size_t length = opaque_length(rest)) return {TokenKind::opaque, length};
  }
  if (is_digit(rest[0]) || (rest[0] == '-' && !is_inside)) {
    if (const std::size_t length = number_length(rest)) return {TokenKind::number, length};
  }
  const auto is_of_word = [](char c) {
    return is_letter(c) || static_cast<unsigned char>(c) >= 0x80;
  };
  if (const std::size_t length = count_while(rest, is_of_word)) return {TokenKind::word, length};
  return {TokenKind::mark, std::max<std::size_t>(count_while(rest, is_blank), 1)};
}

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char c : digits) number = number * 10 + static_cast<std::uint64_t>(c - '0');
  return number;
}

// Microseconds of the time of day that begins the text, with its fraction and zone.
std::int64_t clock_us(std::string_view text) {
  std::int64_t seconds = static_cast<std::int64_t>(number_of(text.substr(0, 2)) * 3600 +
                                                   number_of(text.substr(3, 2)) * 60);
  text = text.substr(5);
  if (match_picture(text, ":99") != 0) {
    seconds += static_cast<std::int64_t>(number_of(text.substr(1, 2)));
    text = text.substr(3);
  }
  std::int64_t fraction_us = 0;
  if (!text.empty() && (text[0] == '.' || text[0] == ',')) {
    std::string digits(text.substr(1, count_while(text.substr(1), is_digit)));
    text = text.substr(1 + digits.size());
    digits.resize(6, '0');
    fraction_us = static_cast<std::int64_t>(number_of(digits));
  }
  const std::size_t sign = text.find_first_of("+-");
  if (sign != std::string_view::npos) {
    std::string digits;
    std::ranges::copy_if(text.substr(sign), std::back_inserter(digits), is_digit);
    digits.resize(4, '0');
    const auto offset = static_cast<std::int64_t>(number_of(digits.substr(0, 2)) * 3600 +
                                                  number_of(digits.substr(2)) * 60);
    seconds += text[sign] == '+' ? -offset : offset;
  }
  return seconds * 1'000'000 + fraction_us;
}

unsigned month_of(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                        "jul", "aug", "sep", "oct", "nov", "dec"};
  const auto* const found = std::ranges::find(kMonths, to_lower(name));
  return static_cast<unsigned>(found - kMonths.begin()) + 1;
}

std::optional<std::uint64_t> since_epoch(std::string_view year, unsigned month,
                                         std::string_view day, std::string_view clock) {
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(number_of(year))),
                                         std::chrono::month(month),
                                         std::chrono::day(static_cast<unsigned>(number_of(day))));
  if (!date.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t time_us = days * 86'400'000'000 + clock_us(clock);
  if (time_us < 0) return std::nullopt;
  return static_cast<std::uint64_t>(time_us);
}

}  // namespace

std::vector<TextToken> split_tokens(std::string_view text) {
  std::vector<TextToken> tokens;
  for (std::size_t at = 0; at < text.size();) {
    const auto [kind, length] = next_token(text, at);
    tokens.push_back({kind, std::string(text.substr(at, length))});
    at += length;
  }
  return tokens;
}

bool may_be_opaque(const TextToken& token) {
  return token.kind == TokenKind::opaque ||
         (token.text.size() >= kHexLength && std::ranges::all_of(token.text, is_hex_digit));
}

bool have_equal_shape(const std::vector<TextToken>& one, const std::vector<TextToken>& other) {
  return std::ranges::equal(one, other, [](const TextToken& a, const TextToken& b) {
    if (a.kind == b.kind) return a.kind != TokenKind::mark || a.text == b.text;
    return may_be_opaque(a) && may_be_opaque(b);
  });
}

std::optional<std::uint64_t> time_us_of(const TextToken& token) {
  const std::string_view text = token.text;
  if (token.kind == TokenKind::number && std::ranges::all_of(text, is_digit)) {
    const std::uint64_t number = text.size() <= 19 ? number_of(text) : 0;
    if (text.size() == 10) return number * 1'000'000;
    if (text.size() == 13) return number * 1'000;
    if (text.size() == 16) return number;
    if (text.size() == 19) return number / 1'000;
    return std::nullopt;
  }
  if (token.kind != TokenKind::time) return std::nullopt;
  if (match_picture(text, "9999") != 0) {
    const auto month = static_cast<unsigned>(number_of(text.substr(5, 2)));
    return since_epoch(text.substr(0, 4), month, text.substr(8, 2), text.substr(11));
  }
  if (match_picture(text, "aaa, 99") != 0) {
    return since_epoch(text.substr(12, 4), month_of(text.substr(8, 3)), text.substr(5, 2),
                       text.substr(17));
  }
  if (match_picture(text, "99/") != 0) {
    return since_epoch(text.substr(7, 4), month_of(text.substr(3, 3)), text.substr(0, 2),
                       text.substr(12));
  }
  return std::nullopt;
}

}  // namespace heddle

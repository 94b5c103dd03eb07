#include "record/redact/encodings.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {
namespace {

constexpr std::string_view kBase64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::size_t kBitsOfByte = 8;
constexpr std::size_t kBitsOfCharacter = 6;
constexpr std::size_t kUnicodeDigits = 4;

std::optional<unsigned> digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::optional<std::uint32_t> hexadecimal_value(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char c : digits) {
    const auto digit = digit_value(c);
    if (!digit) return std::nullopt;
    value = value << 4 | *digit;
  }
  return value;
}

std::optional<unsigned> base64_value(char c) {
  std::size_t found = kBase64.find(c);
  if (found == kBase64.npos) found = kBase64Url.find(c);
  if (found == kBase64.npos) return std::nullopt;
  return static_cast<unsigned>(found);
}

// What begins `text`, decoded, and how long it is there.
struct Decoded {
  std::string bytes;
  std::size_t length = 1;
};

Decoded percent_unit(std::string_view text) {
  if (text[0] == '%' && text.size() >= 3) {
    const auto value = hexadecimal_value(text.substr(1, 2));
    if (value) return {{static_cast<char>(*value)}, 3};
  }
  return {{text[0]}, 1};
}

// The code point behind "\u", of one or two of them.
Decoded unicode_unit(std::string_view text) {
  constexpr std::size_t kLength = 2 + kUnicodeDigits;
  if (text.size() < kLength) return {{text[0]}, 1};
  const auto first = hexadecimal_value(text.substr(2, kUnicodeDigits));
  if (!first) return {{text[0]}, 1};
  Decoded decoded{.bytes = "", .length = kLength};
  std::uint32_t code = *first;
  const std::string_view rest = text.substr(kLength);
  if (code >> 10 == 0x36 && rest.size() >= kLength && rest.starts_with("\\u")) {
    const auto second = hexadecimal_value(rest.substr(2, kUnicodeDigits));
    if (second && *second >> 10 == 0x37) {
      code = 0x10000 + ((code & 0x3ff) << 10) + (*second & 0x3ff);
      decoded.length += kLength;
    }
  }
  append_utf8(decoded.bytes, code);
  return decoded;
}

Decoded backslash_unit(std::string_view text) {
  if (text[0] != '\\' || text.size() < 2) return {{text[0]}, 1};
  constexpr std::string_view kEscapes = "bfnrt\"\\/'";
  constexpr std::string_view kMeanings = "\b\f\n\r\t\"\\/'";
  if (text[1] == 'u') return unicode_unit(text);
  const std::size_t found = kEscapes.find(text[1]);
  if (found == kEscapes.npos) return {{text[0]}, 1};
  return {{kMeanings[found]}, 2};
}

template <class Unit>
bool has_encoded(std::string_view text, char mark, const Unit& unit) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
    if (unit(text.substr(at)).length > 1) return true;
  }
  return false;
}

// Replaces what begins with `mark` by what it stands for.
template <class Unit>
std::optional<TextView> decode_view(const TextView& view, char mark, const Unit& unit) {
  const std::string_view text = view.text;
  if (!has_encoded(text, mark, unit)) return std::nullopt;
  TextView decoded;
  decoded.text.reserve(text.size());
  decoded.from.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find(mark, at), text.size());
    decoded.text += text.substr(at, next - at);
    for (; at < next; ++at) decoded.from.push_back(view.origin(at));
    if (at == text.size()) break;
    const Decoded one = unit(text.substr(at));
    for (const char byte : one.bytes) {
      if (one.length > 1) decoded.decoded.push_back(decoded.text.size());
      decoded.text += byte;
      decoded.from.push_back(view.origin(at));
    }
    at += one.length;
  }
  decoded.from.push_back(view.origin(text.size()));
  return decoded;
}

template <class Unit>
std::string decode_text(std::string_view text, char mark, const Unit& unit) {
  std::string decoded;
  decoded.reserve(text.size());
  while (!text.empty()) {
    const std::string_view plain = text.substr(0, text.find(mark));
    decoded += plain;
    text.remove_prefix(plain.size());
    if (text.empty()) break;
    const Decoded one = unit(text);
    decoded += one.bytes;
    text.remove_prefix(one.length);
  }
  return decoded;
}

}  // namespace

std::optional<TextView> percent_view(const TextView& view) {
  return decode_view(view, '%', percent_unit);
}
std::optional<TextView> backslash_view(const TextView& view) {
  return decode_view(view, '\\', backslash_unit);
}

std::string without_percent(std::string_view text) { return decode_text(text, '%', percent_unit); }
std::string json_unescaped(std::string_view text) {
  return decode_text(text, '\\', backslash_unit);
}

std::string form_decoded(std::string_view text) {
  std::string blanks(text);
  std::replace(blanks.begin(), blanks.end(), '+', ' ');
  return without_percent(blanks);
}

std::string json_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += c;
    } else if (static_cast<unsigned char>(c) < ' ') {
      escaped += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

bool Base64Edge::fits(char c) const {
  const auto value = base64_value(c);
  return value && (*value & mask) == bits;
}

std::optional<std::string> base64_decoded(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string decoded;
  std::uint32_t bits = 0;
  std::size_t count = 0;
  for (const char c : text) {
    const auto value = base64_value(c);
    if (!value) return std::nullopt;
    bits = bits << kBitsOfCharacter | *value;
    count += kBitsOfCharacter;
    if (count < kBitsOfByte) continue;
    count -= kBitsOfByte;
    decoded += static_cast<char>(bits >> count & 0xff);
  }
  return decoded;
}

Base64Core base64_core(std::string_view value, std::size_t before, bool for_urls) {
  const std::size_t begin = before * kBitsOfByte;
  const std::size_t end = begin + value.size() * kBitsOfByte;
  // The character that begins at this bit.
  const auto character = [&](std::size_t at) {
    Base64Edge made;
    for (std::size_t i = at; i < at + kBitsOfCharacter; ++i) {
      const bool is_inside = i >= begin && i < end;
      const unsigned byte =
          is_inside ? static_cast<unsigned char>(value[(i - begin) / kBitsOfByte]) : 0U;
      const unsigned bit = byte >> (kBitsOfByte - 1 - i % kBitsOfByte) & 1U;
      made.mask = made.mask << 1 | (is_inside ? 1U : 0U);
      made.bits = made.bits << 1 | bit;
    }
    return made;
  };
  const std::string_view alphabet = for_urls ? kBase64Url : kBase64;
  Base64Core core;
  std::size_t at = begin / kBitsOfCharacter * kBitsOfCharacter;
  if (at < begin) core.first = character(std::exchange(at, at + kBitsOfCharacter));
  for (; at + kBitsOfCharacter <= end; at += kBitsOfCharacter) {
    core.text += alphabet[character(at).bits];
  }
  if (at < end) core.last = character(at);
  return core;
}

std::string hexadecimal(std::string_view bytes, bool in_capitals) {
  const std::string_view digits = in_capitals ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<unsigned char>(byte) >> 4];
    text += digits[static_cast<unsigned char>(byte) & 0xf];
  }
  return text;
}

}  // namespace heddle

#include "race/requests/coded_text.h"

#include <charconv>
#include <numeric>
#include <optional>

#include "base/assert.h"
#include "base/text.h"
#include "record/redact/encodings.h"
#include "record/redact/placeholder.h"

namespace heddle {
namespace {

// Something that was decoded: so many bytes stand for these.
struct Decoded {
  std::size_t size = 1;
  std::string bytes = {};
};

std::optional<unsigned> hexadecimal_value(std::string_view digits) {
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && !digits.empty() ? std::optional(value) : std::nullopt;
}

Decoded plain(std::string_view text) { return {1, std::string(text.substr(0, 1))}; }

Decoded decode_percent(std::string_view text) {
  if (text[0] != '%' || text.size() < 3) return plain(text);
  const auto byte = hexadecimal_value(text.substr(1, 2));
  return byte ? Decoded{3, std::string(1, static_cast<char>(*byte))} : plain(text);
}

Decoded decode_form(std::string_view text) {
  return text[0] == '+' ? Decoded{1, " "} : decode_percent(text);
}

// "\u00e9", or two of these for one character beyond the first plane.
Decoded decode_unicode(std::string_view text) {
  constexpr std::size_t kSize = 6;
  if (text.size() < kSize) return plain(text);
  const auto unit = hexadecimal_value(text.substr(2, 4));
  if (!unit) return plain(text);
  std::uint32_t code = *unit;
  std::size_t size = kSize;
  const std::string_view rest = text.substr(kSize);
  if (code >= 0xd800 && code < 0xdc00 && rest.starts_with("\\u") && rest.size() >= kSize) {
    const auto low = hexadecimal_value(rest.substr(2, 4));
    if (low && *low >= 0xdc00 && *low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (*low - 0xdc00);
      size += kSize;
    }
  }
  Decoded one{size, {}};
  append_utf8(one.bytes, code);
  return one;
}

Decoded decode_backslash(std::string_view text) {
  if (text[0] != '\\' || text.size() < 2) return plain(text);
  constexpr std::string_view kLetters = "bfnrt";
  constexpr std::string_view kMeanings = "\b\f\n\r\t";
  if (text[1] == 'u') return decode_unicode(text);
  const std::size_t letter = kLetters.find(text[1]);
  return {2, std::string(1, letter == kLetters.npos ? text[1] : kMeanings[letter])};
}

Decoded decode_one(std::string_view text, ValueCoding coding) {
  switch (coding) {
    case ValueCoding::percent:
      return decode_percent(text);
    case ValueCoding::form:
      return decode_form(text);
    case ValueCoding::json:
      return decode_backslash(text);
  }
  return plain(text);
}

std::string percent_encoded(std::string_view text, std::string_view allowed) {
  std::string coded;
  for (const char c : text) {
    if (is_letter(c) || is_digit(c) || allowed.find(c) != allowed.npos) {
      coded += c;
    } else {
      coded += '%' + hexadecimal({&c, 1}, true);
    }
  }
  return coded;
}

std::string encode_one(std::string_view text, ValueCoding coding) {
  switch (coding) {
    case ValueCoding::percent:
      return percent_encoded(text, "-._~!$'()*,;:@=+");
    case ValueCoding::form:
      return percent_encoded(text, "-._~*:@/,;!");
    case ValueCoding::json:
      return json_escaped(text);
  }
  return std::string(text);
}

}  // namespace

CodedText coded_text(std::string_view raw, std::size_t at) {
  CodedText text{.text = std::string(raw)};
  text.from.resize(raw.size() + 1);
  std::iota(text.from.begin(), text.from.end(), at);
  return text;
}

CodedText part_of(const CodedText& text, std::size_t begin, std::size_t size) {
  HEDDLE_ASSERT(begin + size <= text.text.size());
  const auto first = text.from.begin() + static_cast<std::ptrdiff_t>(begin);
  return {.text = text.text.substr(begin, size),
          .from = {first, first + static_cast<std::ptrdiff_t>(size) + 1},
          .codings = text.codings};
}

CodedText decoded(const CodedText& text, ValueCoding coding) {
  CodedText result{.codings = text.codings};
  result.codings.push_back(coding);
  const std::string_view all = text.text;
  for (std::size_t at = 0; at < all.size();) {
    const std::string_view rest = all.substr(at);
    // Placeholders are put where a value was without being encoded.
    const std::size_t hidden = placeholder_length(rest);
    const Decoded one = hidden > 0 ? Decoded{hidden, std::string(rest.substr(0, hidden))}
                                   : decode_one(rest, coding);
    for (std::size_t i = 0; i < one.bytes.size(); ++i) {
      result.from.push_back(text.from[at + (hidden > 0 ? i : 0)]);
    }
    result.text += one.bytes;
    at += one.size;
  }
  result.from.push_back(text.from.back());
  return result;
}

std::string encoded(std::string_view text, const std::vector<ValueCoding>& codings) {
  std::string result(text);
  for (auto coding = codings.rbegin(); coding != codings.rend(); ++coding) {
    result = encode_one(result, *coding);
  }
  return result;
}

}  // namespace heddle

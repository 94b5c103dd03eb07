// A text taken apart into what differs between equal runs, numbers, times, identities, and what
// stands between: "order 17 of ann" and "order 18 of ann" are alike but for one token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class TokenKind : std::uint8_t {
  word,    // letters
  number,  // digits, maybe with a sign or a fraction
  uuid,
  time,     // a date with a time, or a time of day
  address,  // of IPv4, maybe with a port
  opaque,   // long, of letters and digits: tokens, hashes, ids of traces
  mark,     // one sign, or blanks
};

struct TextToken {
  TokenKind kind = TokenKind::word;
  std::string text = {};

  friend bool operator==(const TextToken&, const TextToken&) = default;
};

// All of the text, in order.
std::vector<TextToken> split_tokens(std::string_view text);

// Whether both have the same kinds in the same order, with the same marks. Of what chance writes in
// hexadecimal digits some looks like a number, or a word.
bool have_equal_shape(const std::vector<TextToken>& one, const std::vector<TextToken>& other);

// Whether chance may have written it: it is opaque, or has hexadecimal digits only, and many.
bool may_be_opaque(const TextToken& token);

// The time that a token says, in microseconds since 1970 as if its zone were UTC where it names
// none: dates with times as ISO 8601, RFC 9110 and logs write them, and numbers of seconds, of
// milli-, micro- and nanoseconds since 1970.
std::optional<std::uint64_t> time_us_of(const TextToken& token);

}  // namespace heddle

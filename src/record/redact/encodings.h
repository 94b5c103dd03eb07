// The forms in which a value may stand in a text: as others encode it, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// A text that was decoded, and where each byte of it came from.
struct TextView {
  std::string text;
  std::vector<std::size_t> from = {};  // one more than bytes; empty: nothing was decoded
  std::vector<std::size_t> decoded =
      {};  // bytes that something else stood for in the last decoding

  // Where byte `at` began, which is where the one before it ended.
  std::size_t origin(std::size_t at) const { return from.empty() ? at : from[at]; }
};

// Without percent-encoding; what is not well-formed stays. "+" stays as well. None: there is
// nothing to decode.
std::optional<TextView> percent_view(const TextView& view);
// Without the escapes of a JSON string, which those of most languages resemble. None: as above.
std::optional<TextView> backslash_view(const TextView& view);

// A name or value of a form or a query: "+" is a blank. Whatever is not well-formed stays.
std::string form_decoded(std::string_view text);
std::string without_percent(std::string_view text);
// What stands between the quotes of a JSON string, and as it may stand there.
std::string json_unescaped(std::string_view text);
std::string json_escaped(std::string_view text);

// Of either alphabet, with or without padding; none: it is neither, or ends within a byte.
std::optional<std::string> base64_decoded(std::string_view text);

// A character of base64 that holds some bits of a value, and some of what stands beside it.
struct Base64Edge {
  unsigned mask = 0;  // which of the six bits are the value's; zero: there is no such character
  unsigned bits = 0;

  // Whether the character has these bits, in either alphabet.
  bool fits(char c) const;
};

// What all base64 texts have in common that hold `value` with `before` (0 to 2) bytes, modulo
// three, in front of it.
struct Base64Core {
  Base64Edge first;  // before `text`
  std::string text;
  Base64Edge last;  // behind it
};
Base64Core base64_core(std::string_view value, std::size_t before, bool for_urls);

std::string hexadecimal(std::string_view bytes, bool in_capitals = false);

}  // namespace heddle

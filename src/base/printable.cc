#include "base/printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"

namespace heddle {

namespace {

// What servers say in many lines is shorter.
constexpr std::size_t kLongestMessage = 8000;

std::string escape(std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
}

// The character that begins at `at`, printable; `at` is left behind it.
std::string next_printable(std::string_view text, std::size_t& at) {
  const std::size_t length = utf8_length(text, at);
  if (length == 0) return fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at++]));
  const std::string_view character = text.substr(at, length);
  at += length;
  const std::uint32_t code = code_point(character);
  return is_unprintable(code) ? escape(code) : std::string(character);
}

// The end of what begins at `at` and is cut as one: a text between quotes or a word.
std::size_t end_of_piece(std::string_view message, std::size_t at) {
  if (message[at] == '"') {
    const std::size_t close = message.find('"', at + 1);
    if (close != std::string_view::npos) return close;
  }
  const std::size_t end = message.find_first_of(" \n\"", at + 1);
  return end == std::string_view::npos ? message.size() : end;
}

}  // namespace

std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  std::uint32_t code = lead & (0xffU >> (character.size() + 1));
  for (const char c : character.substr(1)) {
    code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3fU);
  }
  return code;
}

bool is_unprintable(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c || code == 0x200e ||
         code == 0x200f || code == 0x2028 || code == 0x2029 || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xfeff || code == 0xfffe || code == 0xffff;
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) result += next_printable(text, at);
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n' || text[at] == '\t') {
      result += text[at++];
    } else {
      result += next_printable(text, at);
    }
  }
  return result;
}

std::string excerpt(std::string_view text) {
  std::string result;
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string next = next_printable(text, at);
    width += display_width(next);
    if (width >= kExcerptWidth && at < text.size()) return result + "…";
    result += next;
    // Marks without a width can follow each other without an end.
    if (result.size() >= 4 * kExcerptWidth && at < text.size()) return result + "…";
  }
  return result;
}

std::string shown_message(std::string_view message) {
  std::string result;
  for (std::size_t at = 0; at < message.size();) {
    if (result.size() > kLongestMessage) return result + " …";
    const char c = message[at];
    if (c == ' ' || c == '\n') {
      result += c;
      ++at;
      continue;
    }
    const std::size_t end = end_of_piece(message, at);
    const bool is_quoted = c == '"' && end < message.size() && message[end] == '"';
    if (is_quoted) {
      result += "\"" + excerpt(message.substr(at + 1, end - at - 1)) + "\"";
      at = end + 1;
    } else {
      result += excerpt(message.substr(at, end - at));
      at = end;
    }
  }
  return result;
}

}  // namespace heddle

#include "frontend/history/jepsen_form_reader.h"

#include <fmt/format.h>

namespace heddle {

std::string printable(char byte) {
  if (byte > ' ' && byte <= '~') return {byte};
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

void append_utf8(std::string& text, std::uint32_t code) {
  const bool is_scalar = code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
  if (!is_scalar) code = 0xfffd;
  const auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      add(0xe0 | code >> 12);
    } else {
      add(0xf0 | code >> 18);
      add(0x80 | (code >> 12 & 0x3f));
    }
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

std::optional<std::uint32_t> four_hex_digits(std::string_view text) {
  std::uint32_t code = 0;
  if (text.size() < 4) return std::nullopt;
  const char* const begin = text.data();
  const auto [stop, error] = std::from_chars(begin, begin + 4, code, 16);
  if (error != std::errc() || stop != begin + 4) return std::nullopt;
  return code;
}

}  // namespace heddle

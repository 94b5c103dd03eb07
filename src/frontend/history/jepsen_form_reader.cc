#include "frontend/history/jepsen_form_reader.h"

#include <algorithm>

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

bool FormReader::read_string(Form* form) {
  const std::size_t begin = at_++;
  const auto is_special = [](char c) { return c == '"' || c == '\\'; };
  const char* const file = bytes_.data();
  at_ = static_cast<std::size_t>(std::find_if(file + at_, file + end_, is_special) - file);
  if (peek() == '"') {
    add_scalar(form, FormKind::text, begin, text_between(begin + 1, at_));
    ++at_;
    return true;
  }
  std::string text(text_between(begin + 1, at_));
  while (!is_at_end() && peek() != '"') {
    if (peek() == '\\') {
      if (!read_escape(text)) return false;
    } else {
      text.push_back(bytes_[at_++]);
    }
  }
  if (is_at_end()) return fail_at_end(begin, "string");
  ++at_;
  if (form == nullptr) return true;
  add_scalar(form, FormKind::text, begin, form->unescaped.emplace_back(std::move(text)));
  return true;
}

}  // namespace heddle

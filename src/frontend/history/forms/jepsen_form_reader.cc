#include "frontend/history/forms/jepsen_form_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace heddle {

std::string printable(char byte) {
  if (byte > ' ' && byte <= '~') return {byte};
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

std::optional<std::uint32_t> four_hex_digits(std::string_view text) {
  std::uint32_t code = 0;
  if (text.size() < 4) return std::nullopt;
  const char* const begin = text.data();
  const auto [stop, error] = std::from_chars(begin, begin + 4, code, 16);
  if (error != std::errc() || stop != begin + 4) return std::nullopt;
  return code;
}

bool FormReader::read_plain(JepsenOperation& operation, PlainForm form) {
  operation.plain.clear();
  if (!operation.takes_plain || peek() != '[') return false;
  const std::size_t end =
      read_plain_transaction(bytes_.substr(0, end_), at_, form, operation.plain);
  if (end == 0) return false;
  operation.plain_at = at_;
  at_ = end;
  return true;
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

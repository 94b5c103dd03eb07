// The characters of which words of a specification and of SQL are made.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/text.h"

namespace heddle {

constexpr bool is_word_start(char c) {
  return is_letter(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool is_variable_char(char c) { return is_word_start(c) || is_digit(c); }
constexpr bool is_word_char(char c) { return is_variable_char(c) || c == '$'; }

// How many characters from `from` on are such.
template <class Predicate>
std::size_t count_while(std::string_view text, std::size_t from, Predicate predicate) {
  std::size_t end = from;
  while (end < text.size() && predicate(text[end])) ++end;
  return end - from;
}

}  // namespace heddle

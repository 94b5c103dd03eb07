// A text of a program taken apart into code and string literals, by no more than how its language
// writes comments and strings. Nothing of it is parsed, so that any text can be scanned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/marks/language.h"

namespace heddle::marks {

struct Literal {
  std::size_t begin = 0;  // of its first quote
  std::size_t end = 0;    // behind its last one
  std::string text;       // without quotes, escaped line ends and tabs as blanks
};

struct ScannedText {
  std::string_view text;
  std::string code;  // as long: comments and what is in literals are blanks, but for line ends
  std::vector<Literal> literals;
  std::vector<std::size_t> lines;  // where each begins

  std::uint32_t line_of(std::size_t offset) const;  // from 1
  std::uint32_t column_of(std::size_t offset) const;
  // A line of the text without the blanks around it, cut to some words.
  std::string excerpt(std::uint32_t line) const;
};

// Keeps a view of the text.
ScannedText scan(std::string_view text, const Language& language);

// Literals that the code joins to one text ("a" + "b", "a" "b"), with "?" for values in between.
std::vector<Literal> joined_literals(const ScannedText& scanned);

// A word of the code: its first offset at or behind `from` with no letter, digit or underscore
// around it; npos: there is none. What the word begins or ends with other than these needs nothing
// around it.
std::size_t find_word(std::string_view code, std::string_view word, std::size_t from = 0);

bool is_word_character(char c);
bool is_blank(char c);

}  // namespace heddle::marks

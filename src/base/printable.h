// Texts that others wrote, made safe to print: file names, SQL, names of steps, what servers
// answer. They may hold any bytes, also ones that would take over a terminal, and be of any length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

// REQUIRES: one well-formed character of UTF-8.
std::uint32_t code_point(std::string_view character);

// Controls, the marks that reorder the text around them, and what is no character.
bool is_unprintable(std::uint32_t code);

// The text with everything that would not print as itself written out: "\n", "\x1b", "\u202e".
std::string printable(std::string_view text);

// The same, but line ends and tabs stay.
std::string printable_lines(std::string_view text);

// Columns of the longest excerpt.
inline constexpr std::size_t kExcerptWidth = 160;

// What a message quotes of a text: its beginning, printable. Costs no more than its result.
std::string excerpt(std::string_view text);

// A message as it may be shown: printable but for line ends, with an excerpt in place of every long
// word and of every long text between quotes, and cut where it is still long.
std::string shown_message(std::string_view message);

}  // namespace heddle

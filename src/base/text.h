// Small string functions that the standard library lacks. ASCII only where case matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// A digit or a letter of ASCII.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string to_lower(std::string_view text);
// With an upper-case letter in front.
std::string capitalized(std::string text);
bool equal_ignoring_case(std::string_view a, std::string_view b);

// Whether `word` is one of `words`.
template <class Words>
bool is_one_of(std::string_view word, const Words& words) {
  for (const std::string_view one : words) {
    if (one == word) return true;
  }
  return false;
}
inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return is_one_of<std::initializer_list<std::string_view>>(word, words);
}

std::string_view trim(std::string_view text);
// What a C library tells, which may be a null pointer.
inline std::string text_or_nothing(const char* text) { return text == nullptr ? "" : text; }
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Columns a terminal uses for UTF-8 text: wide East Asian characters take two, combining ones none.
std::size_t display_width(std::string_view utf8);

// Adds a Unicode scalar value as UTF-8; what is none (a lone surrogate) as U+FFFD.
void append_utf8(std::string& text, std::uint32_t code);

// A stable 64-bit hash (FNV-1a), the same on every machine and in every release.
std::uint64_t stable_hash(std::string_view text);

// The candidate closest to `word` by edit distance, or empty when none is close. For messages.
std::string closest_word(std::string_view word, const std::vector<std::string>& candidates);

// What to do about a `word` that is none of `names`, for messages: take the closest, or one of all
// where they are few, else what `otherwise` says.
std::string advise_names(std::string_view word, const std::vector<std::string>& names,
                         std::string_view otherwise);

}  // namespace heddle

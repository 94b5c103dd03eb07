// Small string functions that the standard library lacks. ASCII only where case matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

std::string to_lower(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Columns a terminal uses for UTF-8 text: wide East Asian characters take two, combining ones none.
std::size_t display_width(std::string_view utf8);

// A stable 64-bit hash (FNV-1a), the same on every machine and in every release.
std::uint64_t stable_hash(std::string_view text);

// The candidate closest to `word` by edit distance, or empty when none is close. For messages.
std::string closest_word(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace heddle

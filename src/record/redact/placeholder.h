// What is written in place of a value that is not to be written: a keyed hash, equal for equal
// values and of no use without the key, which nobody keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

enum class Hiding : std::uint8_t {
  secret,  // gives access: <secret:0123456789abcdef>
  mask,    // is somebody's own affair: <masked:0123456789abcdef>
};

// A key for one recording. Error: the system has no random numbers.
Result<std::string> draw_placeholder_key();

std::string placeholder(std::string_view key, std::string_view value, Hiding hiding);

// The length of the placeholder that `text` begins with; zero: it begins with none.
std::size_t placeholder_length(std::string_view text);

}  // namespace heddle

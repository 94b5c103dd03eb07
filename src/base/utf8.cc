#include "base/utf8.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace heddle {

namespace {

// One row of RFC 3629's table of well-formed sequences: the ranges of the first two bytes and how
// many bytes there are. All later bytes are 80 to BF.
struct SequenceShape {
  unsigned char first_low;
  unsigned char first_high;
  unsigned char second_low;
  unsigned char second_high;
  std::size_t length;
};

constexpr std::array<SequenceShape, 9> kShapes = {{{0x00, 0x7f, 0x00, 0x00, 1},
                                                   {0xc2, 0xdf, 0x80, 0xbf, 2},
                                                   {0xe0, 0xe0, 0xa0, 0xbf, 3},
                                                   {0xe1, 0xec, 0x80, 0xbf, 3},
                                                   {0xed, 0xed, 0x80, 0x9f, 3},
                                                   {0xee, 0xef, 0x80, 0xbf, 3},
                                                   {0xf0, 0xf0, 0x90, 0xbf, 4},
                                                   {0xf1, 0xf3, 0x80, 0xbf, 4},
                                                   {0xf4, 0xf4, 0x80, 0x8f, 4}}};

bool fits(std::string_view text, std::size_t at, const SequenceShape& shape) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
  if (byte(0) < shape.first_low || byte(0) > shape.first_high) return false;
  if (at + shape.length > text.size()) return false;
  if (shape.length > 1 && (byte(1) < shape.second_low || byte(1) > shape.second_high)) return false;
  for (std::size_t k = 2; k < shape.length; ++k) {
    if (byte(k) < 0x80 || byte(k) > 0xbf) return false;
  }
  return true;
}

// How many bytes in front are ASCII, which most texts are alone: many at once.
std::size_t ascii_length(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  for (const SequenceShape& shape : kShapes) {
    if (fits(text, at, shape)) return shape.length;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = ascii_length(text); at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
    at += ascii_length(text.substr(at));
  }
  return true;
}

}  // namespace heddle

#include "base/utf8.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

// Sequence by sequence.
bool is_utf8_slowly(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text, 0);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

TEST(Utf8, is_seen_wherever_it_is_not_well_formed) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string plain(size, 'a');
    EXPECT_TRUE(is_utf8(plain));
    for (std::size_t at = 0; at < size; ++at) {
      std::string broken = plain;
      broken[at] = '\xff';
      EXPECT_FALSE(is_utf8(broken)) << size << " " << at;
      EXPECT_TRUE(is_utf8(plain.substr(0, at) + "\xc3\xbc" + plain.substr(at)));
    }
  }
}

TEST(Utf8, is_what_it_is_sequence_by_sequence) {
  std::mt19937_64 random(7);
  const std::string_view parts[] = {
      "a",    "text and more", "\xc3\xbc",     "\xe2\x82\xac", "\xf0\x9f\x98\x80",
      "\x80", "\xc3",          "\xed\xa0\x80", "\xf4\x90"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t count = random() % 6; count > 0; --count) {
      text += parts[random() % std::size(parts)];
    }
    ASSERT_EQ(is_utf8(text), is_utf8_slowly(text)) << round;
  }
}

}  // namespace
}  // namespace heddle

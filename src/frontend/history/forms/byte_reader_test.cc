// Numbers and lines are told as the standard library tells them.
#include "frontend/history/forms/byte_reader.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"

namespace heddle {
namespace {

std::string random_of(std::mt19937& random, std::string_view letters, std::size_t longest) {
  std::string text;
  for (auto left = random() % (longest + 1); left > 0; --left)
    text += letters[random() % letters.size()];
  return text;
}

TEST(TextCursor, takes_numbers_as_from_chars_does) {
  const std::string name;
  std::mt19937 random(1);
  std::size_t long_ones = 0;
  for (std::size_t round = 0; round < test_rounds(20'000); ++round) {
    std::string text = random_of(random, "-0123456789", round % 3 == 0 ? 25 : 4);
    if (random() % 2 == 0) text += random_of(random, " ,x", 2);
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    TextCursor cursor(text, name);
    TextCursor::Number number;
    ASSERT_EQ(cursor.take_number(number), error != std::errc::invalid_argument) << text;
    ASSERT_EQ(cursor.rest().data(), error == std::errc::invalid_argument ? text.data() : stop)
        << text;
    if (error == std::errc::invalid_argument) continue;
    ASSERT_EQ(number.fits, error == std::errc()) << text;
    ASSERT_EQ(number.digits, std::string_view(text.data(), stop)) << text;
    ASSERT_TRUE(!number.fits || number.value == value) << text;
    long_ones += number.digits.size() > 18 ? 1 : 0;
  }
  EXPECT_GT(long_ones, 100U);
}

TEST(CountLines, is_how_many_ends_of_lines_there_are) {
  std::mt19937 random(1);
  for (std::size_t round = 0; round < test_rounds(300); ++round) {
    const std::string text =
        random_of(random, round % 2 == 0 ? "\nab" : "\n", round < 20 ? 20'000 : 300);
    EXPECT_EQ(count_lines(text, 1), static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
    EXPECT_LE(count_lines(text, 10), text.size() / 10 + 1);
  }
}

}  // namespace
}  // namespace heddle

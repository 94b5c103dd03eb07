// What is read of a text is what its elements are, whatever was read before.
#include "frontend/history/forms/repeated_numbers.h"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::int64_t> codes_in(RepeatedNumbers& numbers, std::string_view text) {
  std::vector<std::int64_t> all;
  const auto read = numbers.read(text);
  for (const Value value : read.value()) all.push_back(value.code);
  return all;
}

TEST(RepeatedNumbers, grow_shrink_and_change) {
  RepeatedNumbers numbers;
  EXPECT_THAT(codes_in(numbers, ""), IsEmpty());
  EXPECT_THAT(codes_in(numbers, "1 -2"), ElementsAre(1, -2));
  EXPECT_THAT(codes_in(numbers, "1 -2, 30"), ElementsAre(1, -2, 30));
  EXPECT_THAT(codes_in(numbers, "1"), ElementsAre(1));
  EXPECT_THAT(codes_in(numbers, "1 -2, 3"), ElementsAre(1, -2, 3));
  EXPECT_THAT(codes_in(numbers, "1 -2, 35"), ElementsAre(1, -2, 35));
  EXPECT_THAT(codes_in(numbers, " 1 "), ElementsAre(1));
  EXPECT_THAT(codes_in(numbers, ""), IsEmpty());
}

TEST(RepeatedNumbers, know_what_is_none) {
  RepeatedNumbers numbers;
  for (const char* text :
       {"1-2", "-", "1 --2", "1 - 2", "1234567890123456789", "7 1234567890123456789"}) {
    EXPECT_EQ(numbers.read(text), std::nullopt) << text;
    EXPECT_THAT(codes_in(numbers, "7"), ElementsAre(7));
  }
}

// Beside one that has read nothing before.
TEST(RepeatedNumbers, do_not_depend_on_what_was_read_before) {
  const std::size_t rounds = test_rounds(2'000);
  std::mt19937 random(1);
  std::vector<std::string> kept;
  for (std::size_t round = 0; round < rounds; ++round) {
    RepeatedNumbers numbers;
    kept.clear();
    std::string text;
    for (int i = 0; i < 12; ++i) {
      const auto change = random() % 4;
      if (change == 0) text.resize(random() % (text.size() + 1));
      for (auto more = random() % 5; change != 0 && more > 0; --more)
        text += "01-, 2 "[random() % 7];
      kept.push_back(text);
    }
    for (const std::string& each : kept) {
      RepeatedNumbers fresh;
      const auto expected = fresh.read(each);
      const auto found = numbers.read(each);
      ASSERT_EQ(expected.has_value(), found.has_value()) << each;
      if (!found) continue;
      ASSERT_TRUE(std::ranges::equal(*expected, *found)) << each;
    }
  }
}

}  // namespace
}  // namespace heddle

#include "base/random_text.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(RandomText, has_two_digits_for_each_byte) {
  for (const std::size_t bytes : {0U, 1U, 8U, 256U}) {
    const auto drawn = draw_hexadecimal(bytes);
    ASSERT_TRUE(drawn);
    EXPECT_EQ(drawn->size(), 2 * bytes);
    EXPECT_EQ(drawn->find_first_not_of("0123456789abcdef"), std::string::npos) << *drawn;
  }
}

TEST(RandomText, is_another_one_each_time) {
  std::set<std::string> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(draw_hexadecimal(8).value());
  EXPECT_EQ(drawn.size(), 1000);
}

}  // namespace
}  // namespace heddle

#include "base/text.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Text, trims_and_splits) {
  EXPECT_EQ(trim("  a b \n"), "a b");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
}

TEST(Text, compares_ignoring_case) {
  EXPECT_TRUE(equal_ignoring_case("Select", "sELECT"));
  EXPECT_FALSE(equal_ignoring_case("select", "selects"));
}

TEST(Text, measures_display_width) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\xc3\xa9"), 1U);
  EXPECT_EQ(display_width("\xe6\xbc\xa2"), 2U);
  EXPECT_EQ(display_width("\xe2"), 1U);
}

TEST(Text, suggests_the_closest_word) {
  EXPECT_EQ(closest_word("exlpore", {"explore", "replay"}), "explore");
  EXPECT_EQ(closest_word("zzz", {"explore", "replay"}), "");
}

TEST(Text, hash_is_stable) {
  EXPECT_EQ(stable_hash("heddle"), stable_hash("heddle"));
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325U);
}

}  // namespace
}  // namespace heddle

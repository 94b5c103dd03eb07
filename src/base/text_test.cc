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
  EXPECT_EQ(closest_word("Explore", {"replay", "explore"}), "explore");
  EXPECT_EQ(closest_word("exlpore", {}), "");
}

TEST(Text, a_beginning_is_nearer_than_other_letters) {
  const std::vector<std::string> options = {"--unit",     "--list-statements", "--isolation",
                                            "--jobs",     "--timeout",         "--max-operations",
                                            "--json-file"};
  EXPECT_EQ(closest_word("--list", options), "--list-statements");
  EXPECT_EQ(closest_word("--iso", options), "--isolation");
  EXPECT_EQ(closest_word("--timeouts", options), "--timeout");
  EXPECT_EQ(closest_word("--job", options), "--jobs");
  EXPECT_EQ(closest_word("--j", options), "");
  EXPECT_EQ(closest_word("snap", {"serializable", "snapshot-isolation", "snapshot"}), "snapshot");
}

TEST(Text, a_shared_word_is_nearer_than_other_letters) {
  const std::vector<std::string> options = {"--unit", "--list-statements", "--max-operations"};
  EXPECT_EQ(closest_word("--statement-list", options), "--list-statements");
  EXPECT_EQ(closest_word("--operations", options), "--max-operations");
  EXPECT_EQ(closest_word("--most-operations", options), "--max-operations");
  EXPECT_EQ(closest_word("read_comitted", {"read-committed", "read-uncommitted"}),
            "read-committed");
  EXPECT_EQ(closest_word("repeatable", {"read-committed", "repeatable-read"}), "repeatable-read");
}

TEST(Text, nothing_is_suggested_where_nothing_is_near) {
  EXPECT_EQ(closest_word("--list", {"--unit", "--jobs", "--on"}), "");
  EXPECT_EQ(closest_word("x", {"y", "z"}), "");
  EXPECT_EQ(closest_word("", {"explore"}), "");
  EXPECT_EQ(closest_word("--", {"--jobs"}), "");
  EXPECT_EQ(closest_word(std::string(5'000'000, 'a'), {"explore", std::string(4'999'999, 'a')}),
            "");
  EXPECT_EQ(closest_word("r3", {"r1", "w1"}), "r1");
  EXPECT_EQ(closest_word("--hepl", {"help", "--help"}), "--help");
}

TEST(Text, hash_is_stable) {
  EXPECT_EQ(stable_hash("heddle"), stable_hash("heddle"));
  EXPECT_EQ(stable_hash(""), 0xcbf29ce484222325U);
}

}  // namespace
}  // namespace heddle

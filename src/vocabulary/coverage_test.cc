#include "heddle/coverage.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Coverage, only_what_is_not_excluded_makes_it_incomplete) {
  Coverage coverage{
      .is_measured = true, .functionalities = {.exactly = 1}, .statements = {.exactly = 1}};
  EXPECT_TRUE(is_exact(coverage));
  coverage.statements.approximately = 1;
  EXPECT_FALSE(is_exact(coverage));
  EXPECT_TRUE(is_complete(coverage));
  coverage.unread.push_back({.technology = "jOOQ",
                             .what_to_do = "",
                             .places = {{.file = "A.java", .position = {3, 1}, .what = "x"},
                                        {.file = "B.java", .position = {4, 1}, .what = "y"},
                                        {.file = "A.java", .position = {5, 1}, .what = "z"}}});
  EXPECT_FALSE(is_complete(coverage));
  exclude_places(coverage, [](const std::string& file) { return file == "A.java"; });
  EXPECT_FALSE(is_complete(coverage));
  EXPECT_EQ(1U, count_unread(coverage));
  EXPECT_EQ(2U, count_excluded(coverage));
  EXPECT_EQ("x", coverage.unread[0].excluded[0].what);
  EXPECT_EQ("z", coverage.unread[0].excluded[1].what);
  exclude_places(coverage, [](const std::string& file) { return file == "B.java"; });
  EXPECT_TRUE(is_complete(coverage));
  EXPECT_EQ(3U, count_excluded(coverage));
}

}  // namespace
}  // namespace heddle

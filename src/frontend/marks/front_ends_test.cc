// The table of front ends, beside that of languages.
#include "frontend/marks/front_ends.h"

#include <string>

#include <gtest/gtest.h>

#include "frontend/marks/files.h"

namespace heddle::marks {
namespace {

TEST(FrontEnds, AreLanguagesOfTheTable) {
  for (const FrontEnd& one : front_ends()) {
    const std::string name = "a" + std::string(one.ending);
    const Language* const language = language_of(name);
    ASSERT_NE(language, nullptr) << name;
    EXPECT_EQ(language->family, one.family) << name;
    EXPECT_EQ(front_end_of(name), &one);
    EXPECT_TRUE(has_front_end(one.family));
    EXPECT_FALSE(refuse_file(name)) << name;
  }
  EXPECT_EQ(front_ends().front().family, Family::sql);
}

TEST(FrontEnds, RefuseFilesThatNobodyReads) {
  for (const char* name : {"a.kt", "a.py", "a.json"}) {
    EXPECT_EQ(front_end_of(name), nullptr) << name;
    const auto refused = refuse_file(name);
    ASSERT_TRUE(refused) << name;
    EXPECT_TRUE(refused->what_to_do.starts_with("name files of SQL or of Java with JDBC; "))
        << refused->what_to_do;
  }
}

}  // namespace
}  // namespace heddle::marks

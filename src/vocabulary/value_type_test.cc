#include "heddle/value_type.h"

#include <set>

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(ValueTypes, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(ValueType::enumeration); ++i) {
    EXPECT_TRUE(names.insert(to_string(static_cast<ValueType>(i))).second) << i;
  }
  EXPECT_EQ(to_string(ValueType::unknown), "unknown");
  EXPECT_EQ(to_string(ValueType::timestamp_with_zone), "timestamp_with_zone");
  EXPECT_EQ(to_string(ValueType::enumeration), "enumeration");
}

TEST(ValueTypes, TellIntegersAndTexts) {
  EXPECT_TRUE(is_integer(ValueType::integer16));
  EXPECT_TRUE(is_integer(ValueType::integer64));
  EXPECT_FALSE(is_integer(ValueType::numeric));
  EXPECT_TRUE(is_text(ValueType::padded_text));
  EXPECT_FALSE(is_text(ValueType::enumeration));
}

}  // namespace
}  // namespace heddle

#include "base/read_number.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(ReadNumber, whole_numbers) {
  EXPECT_EQ(*parse_number("0"), 0U);
  EXPECT_EQ(*parse_number("18446744073709551615"), 18446744073709551615U);
  for (const char* wrong : {"", "-1", "+1", " 1", "1 ", "1x", "0x1", "18446744073709551616"}) {
    EXPECT_FALSE(parse_number(wrong)) << wrong;
  }
}

TEST(ReadNumber, durations) {
  EXPECT_EQ(*parse_duration("30"), 30'000U);
  EXPECT_EQ(*parse_duration("30s"), 30'000U);
  EXPECT_EQ(*parse_duration("500ms"), 500U);
  EXPECT_EQ(*parse_duration("2m"), 120'000U);
  EXPECT_EQ(*parse_duration("1000h"), 3'600'000'000U);
  for (const char* wrong : {"", "s", "ms", "0", "0ms", "1d", "1.5s", "-1s", "2000h", "10sms"}) {
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace heddle

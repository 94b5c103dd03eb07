#include "wire/postgres/type_names.h"

#include <gtest/gtest.h>

namespace heddle::postgres {
namespace {

TEST(TypeNames, have_numbers) {
  EXPECT_EQ(numbered_type("integer").number, 23U);
  EXPECT_EQ(numbered_type("decimal").number, 1700U);
  EXPECT_EQ(numbered_type("timestamp(3) without time zone").number, 1114U);
  EXPECT_EQ(numbered_type("integer[]").number, 0U);
  EXPECT_EQ(numbered_type("").number, 0U);
  EXPECT_EQ(numbered_type("colour").number, 0U);
}

TEST(TypeNames, have_limits_in_modifiers) {
  EXPECT_EQ(numbered_type("numeric(12,2)").modifier, (12 << 16) + 2 + 4);
  EXPECT_EQ(numbered_type("numeric(12, 2)").modifier, (12 << 16) + 2 + 4);
  EXPECT_EQ(numbered_type("numeric(5)").modifier, (5 << 16) + 4);
  EXPECT_EQ(numbered_type("numeric").modifier, -1);
  EXPECT_EQ(numbered_type("character varying(40)").modifier, 44);
  EXPECT_EQ(numbered_type("timestamp(3) without time zone").modifier, -1);
  EXPECT_EQ(numbered_type("numeric(99999999999)").modifier, -1);
  EXPECT_EQ(numbered_type("numeric(3").number, 1700U);
}

TEST(TypeNames, are_the_catalogues) {
  EXPECT_EQ(type_name(23), "integer");
  EXPECT_EQ(type_name(1043), "character varying");
  EXPECT_EQ(type_name(1114), "timestamp without time zone");
  EXPECT_EQ(type_name(1), "");
  for (const char* name : {"boolean", "bigint", "text", "double precision", "numeric", "uuid"}) {
    EXPECT_EQ(type_name(numbered_type(name).number), name);
  }
}

}  // namespace
}  // namespace heddle::postgres

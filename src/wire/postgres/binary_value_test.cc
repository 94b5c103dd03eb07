#include "wire/postgres/binary_value.h"

#include <string>

#include <gtest/gtest.h>

namespace heddle::postgres {
namespace {

using namespace std::string_literals;

// What a server has for more of them: tests/systems/binary_values_test.py.
TEST(BinaryValues, of_each_kind) {
  EXPECT_EQ(binary_value_text("\xff\xfe"s, 21), "-2");
  EXPECT_EQ(binary_value_text("\x3f\xf8\0\0\0\0\0\0"s, 701), "1.5");
  EXPECT_EQ(binary_value_text("\0\xff"s, 17), "\\x00ff");
  EXPECT_EQ(binary_value_text("\1{}"s, 3802), "{}");
  EXPECT_EQ(binary_value_text("\x55\x0e\x84\0\xe2\x9b\x41\xd4\xa7\x16\x44\x66\x55\x44\0\0"s, 2950),
            "550e8400-e29b-41d4-a716-446655440000");
  EXPECT_EQ(binary_value_text("\0\2\0\0\0\0\0\3\0\x0c\x0d\x7a"s, 1700), "12.345");
  EXPECT_EQ(binary_value_text("\0\2\x3e\x07\x86\xc2\x60\0"s, 1184), "2020-01-01 00:00:00+00");
  EXPECT_EQ(binary_value_text("\xff\xff\xff\xff"s, 1082), "1999-12-31");
  EXPECT_EQ(binary_value_text("\xc0\xa8\0\1"s.insert(0, "\2\x18\0\4"s), 869), "192.168.0.1/24");
}

TEST(BinaryValues, in_arrays) {
  const std::string head = "\0\0\0\1\0\0\0\0\0\0\0\x19\0\0\0\3\0\0\0\1"s;
  const std::string elements = "\0\0\0\1a\xff\xff\xff\xff\0\0\0\3x,\""s;
  EXPECT_EQ(binary_value_text(head + elements, 1009), R"({a,NULL,"x,\""})");
  EXPECT_EQ(binary_value_text("\0\0\0\0\0\0\0\0\0\0\0\x17"s, 1007), "{}");
  EXPECT_FALSE(binary_value_text(head, 1009)) << "its elements are not there";
  EXPECT_FALSE(binary_value_text("\0\0\0\1\0\0\0\0\0\0\0\x17\x7f\xff\xff\xff\0\0\0\1"s, 1007));
}

TEST(BinaryValues, of_types_that_somebody_has_made_are_texts_where_they_are_printable) {
  EXPECT_EQ(binary_value_text("paid", 16400), "paid");
  EXPECT_FALSE(binary_value_text("\0\0\0\2"s, 16400));
  EXPECT_FALSE(binary_value_text("\xff"s, 16400));
}

TEST(BinaryValues, that_are_none_of_their_type_are_not_read) {
  for (const std::uint32_t type : {16, 20, 23, 600, 700, 869, 1082, 1114, 1186, 1266, 1700, 2950}) {
    EXPECT_FALSE(binary_value_text("\0\1\2"s, type)) << type;
  }
  EXPECT_FALSE(binary_value_text("\0\1\0\0\0\0\0\0\x27\x10"s, 1700)) << "10,000 is no digit";
}

}  // namespace
}  // namespace heddle::postgres

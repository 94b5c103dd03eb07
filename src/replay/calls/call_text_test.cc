#include "replay/calls/call_text.h"

#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

std::string literal(const char* text, const char* type) { return literal_text({text, type}); }

TEST(CallText, is_bare_where_that_is_of_the_same_type) {
  EXPECT_EQ(literal("90", "integer"), "90");
  EXPECT_EQ(literal("90.50", "numeric"), "90.50");
  EXPECT_EQ(literal("9000000000", "bigint"), "9000000000");
  EXPECT_EQ(literal("t", "boolean"), "true");
  EXPECT_EQ(literal("it's", "unknown"), "'it''s'");
  EXPECT_EQ(literal_text({std::nullopt, "unknown"}), "NULL");
}

TEST(CallText, says_the_type_elsewhere) {
  EXPECT_EQ(literal("5", "bigint"), "5::bigint");
  EXPECT_EQ(literal("5", "smallint"), "5::smallint");
  EXPECT_EQ(literal("5", "numeric(12,2)"), "5::numeric(12,2)");
  EXPECT_EQ(literal("NaN", "numeric"), "'NaN'::numeric");
  EXPECT_EQ(literal("a\\b", "text"), " E'a\\\\b'::text");
  EXPECT_EQ(literal("{1,2}", "integer[]"), "'{1,2}'::integer[]");
  EXPECT_EQ(literal("t", "boolean[]"), "'t'::boolean[]");
  EXPECT_EQ(literal_text({std::nullopt, "integer"}), "NULL::integer");
}

// A minus behind another one would begin a comment, and -2147483648 is no integer by itself.
TEST(CallText, leaves_types_out_for_stores_that_need_none) {
  const auto bare = [](const char* text, const char* type) {
    return literal_text({text, type}, Literals::bare);
  };
  EXPECT_EQ(bare("5", "numeric(10,2)"), "5");
  EXPECT_EQ(bare("-5", "bigint"), "(-5)");
  EXPECT_EQ(bare("a'b", "text"), "'a''b'");
  EXPECT_EQ(bare("2020-01-02", "date"), "'2020-01-02'");
  EXPECT_EQ(bare("t", "boolean"), "true");
  EXPECT_EQ(literal_text({std::nullopt, "boolean"}, Literals::bare), "NULL");
  // These cannot be understood without.
  EXPECT_EQ(bare("NaN", "numeric"), "'NaN'::numeric");
  EXPECT_EQ(bare("{1}", "text[]"), "'{1}'::text[]");
  EXPECT_EQ(bare("1 day", "interval"), "'1 day'::interval");
}

TEST(CallText, keeps_a_minus_apart) {
  EXPECT_EQ(literal("-5", "integer"), "(-5)");
  EXPECT_EQ(literal("-5", "bigint"), "(-5)::bigint");
  EXPECT_EQ(literal("-0.5", "numeric"), "(-0.5)");
  EXPECT_EQ(literal("-2147483648", "integer"), "(-2147483648)::integer");
  EXPECT_EQ(literal("-9223372036854775808", "bigint"), "'-9223372036854775808'::bigint");
}

TEST(CallText, has_values_in_place_of_parameters_but_not_in_quotes) {
  EXPECT_EQ(text_with_values("UPDATE t SET a = a -$1, b = '$2' WHERE c = $2 -- $1",
                             {{"-1", "integer"}, {"x", "unknown"}}),
            "UPDATE t SET a = a -(-1), b = '$2' WHERE c = 'x' -- $1");
}

}  // namespace
}  // namespace heddle

// Brackets stand where precedence could mislead a reader, and nowhere else.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/program.h"

namespace heddle {
namespace {

Expression var(std::string name) {
  return {.kind = ExpressionKind::variable, .text = std::move(name), .operands = {}};
}

Expression call(std::string name, std::vector<Expression> operands) {
  return {.kind = ExpressionKind::call, .text = std::move(name), .operands = std::move(operands)};
}

TEST(ExpressionText, has_brackets_where_and_and_or_both_stand) {
  const Expression both = call("and", {var("a"), var("b")});
  const Expression either = call("or", {var("a"), var("b")});
  EXPECT_EQ(print_expression(call("or", {both, var("c"), both})), "(a AND b) OR c OR (a AND b)");
  EXPECT_EQ(print_expression(call("and", {either, var("c")})), "(a OR b) AND c");
  EXPECT_EQ(print_expression(call("or", {either, var("c")})), "(a OR b) OR c");
}

TEST(ExpressionText, has_brackets_around_what_not_and_is_are_about) {
  const Expression equal = call("=", {var("a"), var("b")});
  EXPECT_EQ(print_expression(call("not", {equal})), "NOT (a = b)");
  EXPECT_EQ(print_expression(call("not", {call("not", {var("a")})})), "NOT (NOT a)");
  EXPECT_EQ(print_expression(call("not", {var("a")})), "NOT a");
  EXPECT_EQ(print_expression(call("is null", {equal})), "(a = b) IS NULL");
  EXPECT_EQ(print_expression(call("is null", {call("+", {var("a"), var("b")})})), "a + b IS NULL");
}

TEST(ExpressionText, has_brackets_around_between_in_a_chain) {
  const Expression between = call("between", {var("a"), var("b"), var("c")});
  EXPECT_EQ(print_expression(between), "a BETWEEN b AND c");
  EXPECT_EQ(print_expression(call("and", {between, var("d")})), "(a BETWEEN b AND c) AND d");
  EXPECT_EQ(print_expression(call("or", {var("d"), between})), "d OR (a BETWEEN b AND c)");
}

TEST(ExpressionText, has_none_where_arithmetic_is_read_as_it_is_meant) {
  const Expression product = call("*", {var("b"), var("c")});
  EXPECT_EQ(print_expression(call("<", {call("+", {var("a"), product}), var("d")})),
            "a + b * c < d");
}

}  // namespace
}  // namespace heddle

#include "program/chance.h"

#include <gtest/gtest.h>

#include "heddle/program.h"

namespace heddle::program {
namespace {

Expression named(const std::string& name) {
  return {.kind = ExpressionKind::variable, .text = name, .operands = {}};
}

Expression literal(const std::string& text) {
  return {.kind = ExpressionKind::literal, .text = text, .operands = {}};
}

Expression called(const std::string& name, std::vector<Expression> operands) {
  return {.kind = ExpressionKind::call, .text = name, .operands = std::move(operands)};
}

Expression as_whole(Expression value) {
  return {.kind = ExpressionKind::cast,
          .text = "integer",
          .operands = {called("trunc", {std::move(value)})}};
}

Action assigns(const std::string& target, Expression value) {
  return {.source = {}, .what = Assign{.target = named(target), .value = std::move(value)}};
}

// x := a number from 0 to 1 of chance
Action draws(const std::string& target) {
  return assigns(target, called("heddle_chance", {literal("draw()"), literal("0"), literal("1")}));
}

std::string printed(Block body, const std::map<std::string, std::string>& names = {}) {
  Program program;
  program.functionalities.resize(1);
  Functionality& one = program.functionalities[0];
  one.name = "f";
  one.parameters = {{"lowest", "integer"}};
  one.variables = {
      {"x", "double precision"}, {"y", "double precision"}, {"a", "integer"}, {"b", "integer"}};
  one.body = std::move(body);
  choose_chance(one, names);
  const std::string text = print_program(program);
  return text.substr(text.find("CREATE"));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Chance, the_number_that_is_made_of_it_is_the_parameter) {
  const Expression die =
      called("+", {as_whole(called("*", {named("x"), literal("6")})), literal("1")});
  const std::string text = printed({draws("x"), assigns("a", die), assigns("b", die)});
  EXPECT_TRUE(has(text, "f(lowest integer, x integer)")) << text;
  EXPECT_TRUE(has(text, "x >= 1 AND x < 7")) << text;
  EXPECT_TRUE(has(text, "a := x;\n  b := x;")) << text;
  EXPECT_FALSE(has(text, "heddle_")) << text;
}

TEST(Chance, ends_that_are_parameters_stay_in_the_range) {
  const Expression from =
      as_whole(called("+", {called("*", {named("x"), literal("10")}), named("lowest")}));
  const std::string text = printed({draws("x"), assigns("a", from)}, {{"x", "which"}});
  EXPECT_TRUE(has(text, "which >= lowest")) << text;
  EXPECT_TRUE(has(text, "which < lowest + 10")) << text;
}

// Two values that are made of one draw in two ways hang together: the draw is chosen.
TEST(Chance, what_is_used_in_two_ways_is_chosen_itself) {
  const std::string text =
      printed({draws("x"), assigns("a", as_whole(called("*", {named("x"), literal("6")}))),
               assigns("b", as_whole(called("*", {named("x"), literal("2")})))});
  EXPECT_TRUE(has(text, "x double precision)")) << text;
  EXPECT_TRUE(has(text, "x >= 0 AND x < 1")) << text;
  EXPECT_TRUE(has(text, "b := trunc(x * 2)::integer")) << text;
}

TEST(Chance, draws_that_are_joined_are_one_value) {
  const Expression both =
      called("%", {called("|", {as_whole(called("*", {named("x"), literal("8")})),
                                as_whole(called("*", {named("y"), literal("9")}))}),
                   literal("5")});
  const std::string text = printed({draws("x"), draws("y"), assigns("a", both)});
  EXPECT_TRUE(has(text, ">= 0 AND")) << text;
  EXPECT_TRUE(has(text, "< 5)")) << text;
  EXPECT_FALSE(has(text, "double precision")) << text;
}

TEST(Chance, rounds_of_a_loop_take_four_values_in_turn) {
  const Action round{.source = {},
                     .what = Loop{.condition = called("<", {named("b"), literal("3")}),
                                  .body = {draws("x"), assigns("a", as_whole(named("x")))},
                                  .label = ""}};
  const std::string text = printed({round});
  EXPECT_TRUE(has(text, "x_draws integer[]")) << text;
  EXPECT_TRUE(has(text, "cardinality(x_draws) = 4")) << text;
  EXPECT_TRUE(has(text, "x := x_draws[x_drawn]")) << text;
}

TEST(Chance, what_rows_have_is_no_part_of_it) {
  const Expression of_row{
      .kind = ExpressionKind::field, .text = "price", .operands = {named("row")}};
  const std::string text =
      printed({draws("x"), assigns("a", as_whole(called("*", {named("x"), of_row})))});
  EXPECT_TRUE(has(text, "a := trunc(x * row.price)::integer")) << text;
}

// A draw whose variable has other values, too.
TEST(Chance, what_is_assigned_twice_is_not_known) {
  const std::string text =
      printed({draws("x"), assigns("x", literal("0")), assigns("a", as_whole(named("x")))});
  EXPECT_TRUE(has(text, "x := heddle_unknown('draw()')")) << text;
}

}  // namespace
}  // namespace heddle::program

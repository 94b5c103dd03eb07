// The same benchmark in other shapes of Java is the same program: a class with a connection,
// procedures of BenchBase, services with data access objects.
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "frontend/java/reality_testing.h"
#include "program/visit.h"

namespace heddle::java {
namespace {

// Gives variables, cursors and labels names that tell nothing but the order of their appearance.
class Anonymous {
 public:
  std::string print(Functionality functionality) {
    functionality.name = "f";
    for (Variable& parameter : functionality.parameters) rename(parameter.name);
    rename(functionality.body);
    for (Variable& variable : functionality.variables) rename(variable.name);
    std::ranges::sort(functionality.variables, {}, &Variable::name);
    return print_program({.schema = {}, .functionalities = {functionality}, .notes = {}});
  }

 private:
  void rename(std::string& name) {
    if (name.empty() || name == "found") return;
    const auto [known, is_new] = names_.insert({name, ""});
    if (is_new) known->second = fmt::format("v{:03}", names_.size());
    name = known->second;
  }
  void rename(Expression& expression) {
    if (expression.kind == ExpressionKind::variable) rename(expression.text);
    for (Expression& operand : expression.operands) rename(operand);
  }
  void rename(Block& block) {
    for (Action& action : block) {
      if (auto* open = std::get_if<OpenRows>(&action.what)) rename(open->cursor);
      if (auto* fetch = std::get_if<FetchRow>(&action.what)) rename(fetch->cursor);
      if (auto* close = std::get_if<CloseRows>(&action.what)) rename(close->cursor);
      if (auto* count = std::get_if<CountLoop>(&action.what)) rename(count->variable);
      if (auto* elements = std::get_if<ElementLoop>(&action.what)) rename(elements->variable);
      std::visit(
          [this](auto& what) {
            if constexpr (requires { what.label; }) rename(what.label);
          },
          action.what);
      const auto both = [this](Expression& expression) { rename(expression); };
      program::for_each_expression(action, both, both);
      program::for_each_block(action, [this](Block& inner) { rename(inner); });
    }
  }

  std::map<std::string, std::string> names_;
};

// A hint is the name of an exception's class, by which refusals are told.
std::string without_names(const Functionality& functionality) {
  static const std::regex hint("( USING|,) HINT = '[^']*'");
  return std::regex_replace(Anonymous().print(functionality), hint, "");
}

// What it does to the store: each statement with the number of its loops and conditions.
std::string skeleton(const Functionality& functionality) {
  std::string text;
  for (const Variable& parameter : functionality.parameters) text += parameter.type + " ";
  text += "-> " + functionality.returns.value_or("nothing") + "\n";
  for (const ListedStatement& listed : list_statements(functionality)) {
    text += fmt::format("{} loops, {} guards: {}\n", listed.loops, listed.guards.size(),
                        plain_text(listed.statement->statement.text));
  }
  return text;
}

// Where Java says the same in words that stay apart: a factor of -1 for a minus, an index from 0
// for one from 1, two variables declared the other way round, a list that is filled first and then
// gone through.
constexpr std::string_view kOtherWords[] = {
    "smallbank benchbase sendpayment", "tpcc benchbase neworder",   "tpcc services neworder",
    "tpcc services delivery",          "tpcc services orderstatus",
};

std::map<std::string, const Functionality*> by_name(const Program& program) {
  std::map<std::string, const Functionality*> functionalities;
  for (const Functionality& functionality : program.functionalities) {
    functionalities[to_lower(functionality.name)] = &functionality;
  }
  return functionalities;
}

void expect_same_shapes(const std::string& name, const std::string& shape) {
  const Program plain = read_program(load_program(name, "class"));
  const Program other = read_program(load_program(name, shape));
  const auto others = by_name(other);
  EXPECT_EQ(others.size(), by_name(plain).size());
  for (const auto& [functionality, expected] : by_name(plain)) {
    const std::string what = fmt::format("{} {} {}", name, shape, functionality);
    ASSERT_TRUE(others.contains(functionality)) << what;
    const Functionality& read = *others.at(functionality);
    EXPECT_EQ(skeleton(read), skeleton(*expected)) << what;
    if (std::ranges::find(kOtherWords, what) == std::end(kOtherWords)) {
      EXPECT_EQ(without_names(read), without_names(*expected)) << what;
    } else {
      EXPECT_NE(without_names(read), without_names(*expected)) << what << " is no exception";
    }
  }
}

std::size_t count_statements(const Program& program) {
  std::size_t count = 0;
  for (const Functionality& each : program.functionalities) count += list_statements(each).size();
  return count;
}

// What is printed of each reads as a program with the same statements. Only the counters of loops,
// which PL/pgSQL declares itself, may get other names the first time; and a routine of the schema
// that Java calls is followed only where both are one text, which is one statement more in
// `styles`.
TEST(Shapes, are_read_again_as_they_are_printed) {
  for (const auto& [name, shape] : kShapes) {
    const std::string what = fmt::format("{} {}", name, shape);
    const Program read = read_program(load_program(name, shape));
    const auto again = parse_program({{"p.sql", print_program(read)}});
    ASSERT_TRUE(again) << what << ": " << to_string(again.error());
    const std::size_t followed = std::string_view(name) == "styles" ? 1 : 0;
    EXPECT_EQ(count_statements(*again), count_statements(read) + followed) << what;
    const std::string printed = print_program(*again);
    const auto third = parse_program({{"p.sql", printed}});
    ASSERT_TRUE(third) << what << ": " << to_string(third.error());
    EXPECT_EQ(print_program(*third), printed) << what;
  }
}

TEST(Shapes, of_smallbank_are_one_program) {
  expect_same_shapes("smallbank", "benchbase");
  expect_same_shapes("smallbank", "services");
}

TEST(Shapes, of_tpcc_are_one_program) {
  expect_same_shapes("tpcc", "benchbase");
  expect_same_shapes("tpcc", "services");
}

TEST(Shapes, are_told_apart_by_a_condition) {
  RealProgram program = load_program("smallbank", "class");
  const Program read = read_program(program);
  std::string& text = program.sources.at(0).text;
  const std::size_t at = text.find("total < amount");
  ASSERT_NE(at, text.npos);
  text.replace(at, 7, "total <=");
  const Program altered = read_program(program);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < read.functionalities.size(); ++i) {
    if (without_names(read.functionalities[i]) != without_names(altered.functionalities.at(i))) {
      ++differing;
    }
  }
  EXPECT_EQ(differing, 1U);
}

}  // namespace
}  // namespace heddle::java

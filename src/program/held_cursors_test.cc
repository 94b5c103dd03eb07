#include "program/held_cursors.h"

#include <gtest/gtest.h>

#include "heddle/program.h"

namespace heddle::program {
namespace {

Action opens(const std::string& cursor) {
  return {.source = {}, .what = OpenRows{.cursor = cursor, .statement = {}}};
}

Action commits() {
  RunStatement run;
  run.statement.statement.kind = StatementKind::commit;
  return {.source = {}, .what = run};
}

Action fetches(const std::string& cursor) {
  return {.source = {}, .what = FetchRow{.cursor = cursor, .into = {}}};
}

std::set<std::string> held_in(Block body) {
  Functionality functionality;
  functionality.body = std::move(body);
  return held_cursors(functionality);
}

using Names = std::set<std::string>;

TEST(HeldCursors, are_opened_right_in_front_of_a_commit) {
  EXPECT_EQ(held_in({opens("a"), commits(), fetches("a")}), Names({"a"}));
  EXPECT_EQ(held_in({opens("a"), fetches("a"), commits(), fetches("a")}), Names());
  EXPECT_EQ(held_in({commits(), opens("a"), fetches("a")}), Names());
}

TEST(HeldCursors, may_be_opened_and_committed_in_branches) {
  const Action either{
      .source = {},
      .what = Branch{.condition = {}, .then = {opens("a")}, .otherwise = {opens("b")}}};
  EXPECT_EQ(held_in({either, commits()}), Names({"a", "b"}));
  const Action perhaps{.source = {},
                       .what = Branch{.condition = {}, .then = {commits()}, .otherwise = {}}};
  EXPECT_EQ(held_in({opens("a"), perhaps, fetches("a")}), Names({"a"}));
  const Action round{.source = {},
                     .what = Loop{.condition = {}, .body = {opens("a"), commits()}, .label = ""}};
  EXPECT_EQ(held_in({round}), Names({"a"}));
}

}  // namespace
}  // namespace heddle::program

#include "program/deciding_changes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::program {
namespace {

Expression variable(const std::string& name) {
  return {.kind = ExpressionKind::variable, .text = name, .operands = {}};
}

Action statement(StatementKind kind) {
  RunStatement run;
  run.statement.statement.kind = kind;
  return {.source = {}, .what = std::move(run)};
}

Action raise() {
  return {.source = {}, .what = Raise{.condition = "", .message = "no", .values = {}}};
}

Action count_into(const std::string& name) {
  return {.source = {}, .what = CountRows{.target = variable(name)}};
}

Action branch(const std::string& condition, Block then, Block otherwise = {}) {
  return {.source = {},
          .what = Branch{.condition = variable(condition),
                         .then = std::move(then),
                         .otherwise = std::move(otherwise)}};
}

Action end() { return {.source = {}, .what = Return{}}; }

// How many changes decide each Raise, in no order.
std::vector<std::size_t> decided(Block body) {
  Functionality functionality;
  functionality.body = std::move(body);
  std::vector<std::size_t> counts;
  for (const auto& [raise, changes] : deciding_changes(functionality)) {
    counts.push_back(changes.size());
  }
  return counts;
}

using Counts = std::vector<std::size_t>;

TEST(DecidingChanges, are_those_whose_count_a_condition_asks_for) {
  EXPECT_EQ(decided({statement(StatementKind::update), branch("found", {raise()})}), Counts{1});
  EXPECT_EQ(decided({statement(StatementKind::delete_), branch("found", {}, {raise()})}),
            Counts{1});
  EXPECT_EQ(decided({statement(StatementKind::update), count_into("n"),
                     statement(StatementKind::select), branch("n", {raise()})}),
            Counts{1});
  EXPECT_EQ(decided({statement(StatementKind::insert), branch("found", {raise()})}), Counts{0});
  EXPECT_EQ(decided({statement(StatementKind::update), statement(StatementKind::select),
                     branch("found", {raise()})}),
            Counts{0});
  EXPECT_EQ(decided({statement(StatementKind::update), raise()}), Counts{0});
}

TEST(DecidingChanges, are_those_by_which_others_have_left) {
  EXPECT_EQ(decided({statement(StatementKind::update), branch("found", {end()}), raise()}),
            Counts{1});
  // Both ways come to the Raise.
  EXPECT_EQ(
      decided({statement(StatementKind::update), branch("found", {}), branch("x", {raise()})}),
      Counts{0});
}

// What is not assigned on the other way tells, too.
TEST(DecidingChanges, are_those_that_decided_what_a_variable_has) {
  Action assign{.source = {}, .what = Assign{.target = variable("done"), .value = variable("x")}};
  EXPECT_EQ(decided({statement(StatementKind::update), branch("found", {assign}),
                     branch("done", {}, {raise()})}),
            Counts{1});
}

TEST(DecidingChanges, go_round_in_loops) {
  Loop tries;
  tries.body = {statement(StatementKind::update), branch("found", {end()})};
  EXPECT_EQ(decided({{.source = {}, .what = tries}, raise()}), Counts{1});
  Loop leaves;
  leaves.body = {statement(StatementKind::update),
                 branch("found", {{.source = {}, .what = LeaveLoop{}}}), branch("x", {raise()})};
  EXPECT_EQ(decided({{.source = {}, .what = leaves}}), Counts{1});
  // Behind the loop all ways have met.
  Loop meets;
  meets.body = {statement(StatementKind::update),
                branch("found", {{.source = {}, .what = LeaveLoop{}}})};
  EXPECT_EQ(decided({{.source = {}, .what = meets}, branch("x", {raise()})}), Counts{0});
}

}  // namespace
}  // namespace heddle::program

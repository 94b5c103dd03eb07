// Which serial orders a run is judged by.
#include "replay/serial.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/isolationtester_runner.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// "s1[a b] s2[c]".
std::string units_text(const Scenario& scenario, const Run& run, Unit unit) {
  std::vector<std::string> texts;
  for (const std::vector<SerialBlock>& blocks : units_of(run, scenario, unit)) {
    for (const SerialBlock& block : blocks) {
      std::vector<std::string> steps;
      for (const StepId step : block.steps) steps.push_back(scenario.steps[step.index()].name);
      texts.push_back(scenario.sessions[block.session.index()].name + "[" + join(steps, " ") + "]");
    }
  }
  return join(texts, " ");
}

Scenario three_sessions() {
  return accounts_with(R"(
session s1
step a { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step b { COMMIT; }
step c { UPDATE account SET balance = 2 WHERE id = 1; }
session s2
step d { BEGIN; SELECT balance FROM account WHERE id = 1; SELECT balance FROM account WHERE id = 2; }
step e { UPDATE account SET balance = balance * 2 WHERE id = 2; }
step f { ROLLBACK; }
session s3
step g { SELECT sum(balance) FROM account; }
)");
}

TEST(Serial, units_are_sessions_or_their_transactions) {
  const Scenario scenario = three_sessions();
  const auto run = run_schedule(*runner_for(scenario), scenario, "a d b e c f g");
  EXPECT_EQ(units_text(scenario, run, Unit::session), "s1[a b c] s2[d e f] s3[g]");
  EXPECT_EQ(units_text(scenario, run, Unit::transaction), "s1[a b] s1[c] s2[d e f] s3[g]");
}

TEST(Serial, what_the_store_ended_is_no_unit) {
  const Scenario scenario = accounts_with(R"(
session s1
step a { UPDATE account SET balance = 1 WHERE id = 2; }
step b { BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT balance FROM account WHERE id = 1; }
step c { UPDATE account SET balance = 3 WHERE id = 1; }
step d { COMMIT; }
session s2
step e { UPDATE account SET balance = 2 WHERE id = 1; }
)");
  const auto run = run_schedule(*runner_for(scenario), scenario, "a b e c d");
  ASSERT_THAT(run.aborted, ElementsAre(SessionId(0)));
  EXPECT_EQ(units_text(scenario, run, Unit::session), "s2[e]");
  EXPECT_EQ(units_text(scenario, run, Unit::transaction), "s1[a] s2[e]");
  EXPECT_EQ(judged_outcome(run, scenario, Unit::session).sessions.at(0).size(), 0U);
  EXPECT_EQ(judged_outcome(run, scenario, Unit::transaction).sessions.at(0).size(), 1U);
}

TEST(Serial, all_orders_that_keep_each_session_in_order_once) {
  const Scenario scenario = three_sessions();
  const auto runner = runner_for(scenario);
  SerialOrders orders(scenario, *runner);
  const auto run = run_schedule(*runner, scenario, "a d b e c f g");
  const auto names = [&](Unit unit) {
    std::vector<std::string> texts;
    for (const SerialRun& serial : must(orders.orders_for(run, unit))->runs) {
      texts.push_back(join(serial.order, " "));
    }
    return texts;
  };
  EXPECT_THAT(names(Unit::session), UnorderedElementsAre("s1 s2 s3", "s1 s3 s2", "s2 s1 s3",
                                                         "s2 s3 s1", "s3 s1 s2", "s3 s2 s1"));
  EXPECT_EQ(orders.executed(), 6U);
  EXPECT_THAT(
      names(Unit::transaction),
      UnorderedElementsAre("s1 s1#2 s2 s3", "s1 s1#2 s3 s2", "s1 s2 s1#2 s3", "s1 s2 s3 s1#2",
                           "s1 s3 s1#2 s2", "s1 s3 s2 s1#2", "s2 s1 s1#2 s3", "s2 s1 s3 s1#2",
                           "s2 s3 s1 s1#2", "s3 s1 s1#2 s2", "s3 s1 s2 s1#2", "s3 s2 s1 s1#2"));
  EXPECT_EQ(orders.executed(), 18U);
  (void)names(Unit::session);
  EXPECT_EQ(orders.executed(), 18U) << "they are remembered";
}

TEST(Serial, outcomes_are_those_of_the_order) {
  const Scenario scenario = accounts_with(R"(
session s1
step a { UPDATE account SET balance = balance + 1 WHERE id = 1; }
session s2
step b { UPDATE account SET balance = balance * 2 WHERE id = 1 RETURNING balance; }
)");
  const auto runner = runner_for(scenario);
  SerialOrders orders(scenario, *runner);
  const auto run = run_schedule(*runner, scenario, "a b");
  std::vector<std::string> texts;
  for (const SerialRun& serial : must(orders.orders_for(run, Unit::session))->runs) {
    texts.push_back(join(serial.order, " ") + ": " +
                    replies_text(serial.outcome.sessions.at(1).at(0).replies) + " " +
                    rows_text(serial.outcome.tables.at(0).rows));
  }
  EXPECT_THAT(texts, UnorderedElementsAre("s1 s2: (202) (1, 202) (2, 100)",
                                          "s2 s1: (200) (1, 201) (2, 100)"));
}

TEST(Serial, sessions_that_are_first_come_first) {
  const Scenario scenario = accounts_with(R"(
session s1
step a { UPDATE account SET balance = balance + 1 WHERE id = 1; }
session s2
step b { UPDATE account SET balance = balance * 2 WHERE id = 1; }
session s3 first
step c { UPDATE account SET balance = 5 WHERE id = 1; }
session s4 first
step d { UPDATE account SET balance = 6 WHERE id = 1; }
)");
  const auto runner = runner_for(scenario);
  SerialOrders orders(scenario, *runner);
  const auto run = run_schedule(*runner, scenario, "c d b a");
  std::vector<std::string> texts;
  for (const SerialRun& serial : must(orders.orders_for(run, Unit::session))->runs) {
    texts.push_back(join(serial.order, " "));
  }
  EXPECT_THAT(texts, UnorderedElementsAre("s3 s4 s1 s2", "s3 s4 s2 s1"));
  std::size_t permutations = 0;
  for_each_permutation(scenario, [&](const Schedule& schedule) {
    ++permutations;
    EXPECT_THAT(to_string(scenario, schedule), testing::StartsWith("c d "));
    return true;
  });
  EXPECT_EQ(permutations, 2U);
  EXPECT_EQ(count_permutations(scenario), 2U);
}

TEST(Serial, too_many_orders_are_not_begun) {
  std::string sessions;
  for (int i = 1; i <= 8; ++i)
    sessions += fmt::format("session s{0}\nstep a{0} {{ SELECT 1; }}\n", i);
  const Scenario scenario = scenario_of(sessions);
  const auto runner = runner_for(scenario);
  SerialOrders orders(scenario, *runner);
  const auto run = run_schedule(*runner, scenario, "a1 a2 a3 a4 a5 a6 a7 a8");
  const SerialRuns& serial = *must(orders.orders_for(run, Unit::session));
  EXPECT_FALSE(serial.complete);
  EXPECT_EQ(serial.runs.size(), 0U);
  EXPECT_EQ(orders.executed(), 0U);
}

TEST(Serial, an_order_that_would_wait_for_ever_is_left_out) {
  const Scenario scenario = accounts_with(R"(
session s1
step a { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
session s2
step b { UPDATE account SET balance = 2 WHERE id = 1; }
)");
  const auto runner = runner_for(scenario, std::nullopt, 2'000);
  SerialOrders orders(scenario, *runner);
  const auto run = run_schedule(*runner, scenario, "b a");
  const SerialRuns& serial = *must(orders.orders_for(run, Unit::session));
  // s1's teardown rolls its transaction back before s2 begins.
  EXPECT_TRUE(serial.complete);
  EXPECT_EQ(serial.runs.size(), 2U);
}

}  // namespace
}  // namespace heddle

// Calls that have transactions open on several connections at the same time, on PostgreSQL and
// MariaDB: what goes over which connection, what others see, and waits that no store ends.
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/dependency.h"
#include "replay/judge.h"
#include "replay/replay_testing.h"
#include "replay/wait_graph.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTwoConnections = R"(
program {
CREATE PROCEDURE move(source integer, target integer, amount integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = source;
  -- on connection 2:
  UPDATE account SET balance = balance + amount WHERE id = target;
  COMMIT;
  -- on connection 2:
  COMMIT;
END $$;
CREATE PROCEDURE note(one integer, other integer) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = 0 WHERE id = one;
  -- on connection 2:
  UPDATE account SET balance = 7 WHERE id = other;
  -- on connection 2:
  COMMIT;
  RAISE EXCEPTION 'no';
END $$;
CREATE FUNCTION total() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  one integer;
  other integer;
BEGIN
  SELECT balance INTO one FROM account WHERE id = 1;
  SELECT balance INTO other FROM account WHERE id = 2;
  RETURN one + other;
END $$;
}
)";

Scenario moves_with(std::string_view sessions) {
  return accounts_with(std::string(kTwoConnections) + std::string(sessions));
}

std::unique_ptr<Runner> runner_on(StoreServer& server, const Scenario& scenario,
                                  std::optional<IsolationLevel> level = std::nullopt) {
  return must(Runner::create(scenario, server, {level, 30'000}));
}

std::string sent_over(const Run& run) {
  std::string text;
  for (const StepRecord& record : run.records) {
    text += record.service + ":";
    for (std::size_t i = 0; i < record.sent.size(); ++i) {
      text += " " + std::to_string(record.connections.at(i)) + " " + record.sent[i] + ";";
    }
    text += "\n";
  }
  return text;
}

// With which calls ended.
std::vector<StepError> errors_of(const Run& run) {
  std::vector<StepError> errors;
  for (const StepRecord& record : run.records) {
    if (record.call_end && record.call_end->error) errors.push_back(*record.call_end->error);
  }
  return errors;
}

TEST(CalledConnections, have_transactions_of_their_own) {
  const Scenario scenario = moves_with("session s1 call { move(1, 2, 10) }");
  const auto runner = runner_for(scenario);
  const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4");
  EXPECT_EQ(sent_over(run),
            "connection 1: 0 BEGIN; 0 UPDATE account SET balance = balance - 10 WHERE id = 1;\n"
            "connection 2: 1 BEGIN; 1 UPDATE account SET balance = balance + 10 WHERE id = 2;\n"
            "connection 1: 0 COMMIT;\n"
            "connection 2: 1 COMMIT;\n");
  EXPECT_EQ(rows_text(run.tables.at(0).rows), "(1, 90) (2, 110)");
  EXPECT_EQ(run.records[2].state_after, TransactionState::open);
  EXPECT_EQ(run.records[3].state_after, TransactionState::idle);
}

// The second run of a server begins where the first one did.
TEST(CalledConnections, show_others_the_one_without_the_other) {
  const Scenario scenario =
      moves_with("session s1 call { move(1, 2, 10) }\nsession s2 call { total() }");
  for (StoreServer* const server : {&shared_server(), &shared_mariadb()}) {
    const auto runner = runner_on(*server, scenario);
    Judge judge(scenario, *runner);
    for (int again = 0; again < 2; ++again) {
      const auto torn = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3 s1_4");
      EXPECT_TRUE(must(judge.judge(torn, Unit::session)).anomalous);
      const auto whole = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4 s2_1 s2_2 s2_3");
      EXPECT_FALSE(must(judge.judge(whole, Unit::session)).anomalous);
    }
  }
}

TEST(CalledConnections, are_told_apart_in_what_is_observed) {
  const Scenario scenario =
      moves_with("session s1 call { move(1, 2, 10) }\nsession s2 call { total() }");
  for (StoreServer* const server : {&shared_server(), &shared_mariadb()}) {
    const auto runner = runner_on(*server, scenario);
    const Schedule schedule = schedule_from(scenario, "s1_1 s1_2 s1_3 s2_1 s2_2 s2_3 s1_4");
    const ObservedRun observed =
        must(runner->run_observed(scripts_from(scenario, schedule), follow(scenario, schedule)));
    const History& history = observed.history;
    ASSERT_EQ(history.transactions.size(), 3U);
    EXPECT_EQ(history.transactions[0].beside, std::vector{TransactionId(1)});
    EXPECT_EQ(history.transactions[1].beside, std::vector{TransactionId(0)});
    for (const HistoryTransaction& transaction : history.transactions) {
      EXPECT_EQ(transaction.outcome, TransactionOutcome::committed);
    }
    const auto cycles = find_anomalies(history, dependency_graph(history), Unit::session);
    ASSERT_FALSE(cycles.empty());
    EXPECT_EQ(cycles.front().kind, AnomalyKind::read_skew);
    EXPECT_TRUE(find_anomalies(history, dependency_graph(history), Unit::transaction).empty());
  }
}

// What the inner transaction has committed stays when the call ends in an error.
TEST(CalledConnections, are_rolled_back_one_without_the_other) {
  const Scenario scenario = moves_with("session s1 call { note(1, 2) }");
  for (StoreServer* const server : {&shared_server(), &shared_mariadb()}) {
    const auto runner = runner_on(*server, scenario);
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4");
    EXPECT_EQ(rows_text(run.tables.at(0).rows), "(1, 100) (2, 7)");
    EXPECT_EQ(run.records[3].sent, std::vector<std::string>{"ROLLBACK"});
  }
}

// A lock timeout would be all that ends it.
TEST(CalledConnections, end_where_one_waits_for_the_other) {
  const Scenario scenario = moves_with("session s1 call { move(1, 1, 10) }");
  for (StoreServer* const server : {&shared_server(), &shared_mariadb()}) {
    const auto runner = runner_on(*server, scenario);
    const auto run = run_schedule(*runner, scenario, "s1_1 s1_2 s1_3 s1_4");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    ASSERT_EQ(run.aborted, std::vector{SessionId(0)});
    ASSERT_EQ(errors_of(run).size(), 1U);
    EXPECT_EQ(errors_of(run)[0].error_class, ErrorClass::lock_timeout);
    EXPECT_THAT(errors_of(run)[0].message, HasSubstr("the call waits for itself"));
    EXPECT_EQ(rows_text(run.tables.at(0).rows), "(1, 100) (2, 100)");
  }
}

// Each has on its first connection what the other one wants on its second one.
TEST(CalledConnections, end_where_calls_wait_for_each_other) {
  const Scenario scenario =
      moves_with("session s1 call { move(1, 2, 10) }\nsession s2 call { move(2, 1, 10) }");
  for (StoreServer* const server : {&shared_server(), &shared_mariadb()}) {
    const auto runner = runner_on(*server, scenario);
    const auto run = run_schedule(*runner, scenario, "s1_1 s2_1 s1_2 s2_2 s2_3 s2_4 s1_3 s1_4");
    ASSERT_EQ(run.end, RunEnd::complete) << run.trouble;
    ASSERT_EQ(run.aborted, std::vector{SessionId(1)});
    ASSERT_EQ(errors_of(run).size(), 1U);
    EXPECT_THAT(errors_of(run)[0].message, HasSubstr("calls wait for each other for ever"));
    EXPECT_EQ(rows_text(run.tables.at(0).rows), "(1, 90) (2, 110)");
  }
}

TEST(CalledConnections, are_refused_elsewhere) {
  const Scenario scenario = moves_with("session s1 call { move(1, 2, 10) }");
  const auto server = must(open_server({"replicated"}));
  const auto runner = Runner::create(scenario, *server, {});
  ASSERT_FALSE(runner);
  EXPECT_THAT(to_string(runner.error()),
              HasSubstr("move has transactions open on several connections at the same time"));
}

WaitState waits_for(std::vector<int> blockers, std::vector<int> aside) {
  return {.blocked = true, .blockers = std::move(blockers), .aside = std::move(aside)};
}

TEST(WaitGraph, knows_which_circles_a_store_ends) {
  const std::vector<int> backends = {1, 2, 3};
  const WaitState rests;
  const std::vector<WaitState> itself = {waits_for({1}, {1}), rests, rests};
  EXPECT_TRUE(waits_for_itself(SessionId(0), itself, backends));
  EXPECT_FALSE(closes_circle_in_store(itself, backends));
  const std::vector<WaitState> deadlock = {waits_for({2}, {}), waits_for({1}, {}), rests};
  EXPECT_TRUE(waits_for_itself(SessionId(0), deadlock, backends));
  EXPECT_TRUE(closes_circle_in_store(deadlock, backends));
  const std::vector<WaitState> half = {waits_for({2}, {2}), waits_for({1}, {}), rests};
  EXPECT_TRUE(waits_for_itself(SessionId(1), half, backends));
  EXPECT_FALSE(closes_circle_in_store(half, backends));
  const std::vector<WaitState> both = {waits_for({2}, {2}), waits_for({1, 3}, {}),
                                       waits_for({2}, {})};
  EXPECT_TRUE(closes_circle_in_store(both, backends));
}

}  // namespace
}  // namespace heddle

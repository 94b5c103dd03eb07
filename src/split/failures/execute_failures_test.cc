// Failures executed on a real PostgreSQL.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "split/failures/failures_testing.h"

namespace heddle {
namespace {

using failures::examine;
using failures::Examined;
using failures::kBank;
using failures::kTwo;
using failures::lines_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FailureOptions executed() {
  FailureOptions options;
  options.execution.emplace().on.texts = {"postgres"};
  return options;
}

FailureOptions compensated_by(const std::string& assignment) {
  FailureOptions options = executed();
  options.compensations =
      SourceText{.file = "undo.sql",
                 .text =
                     "CREATE PROCEDURE compensate_transfer_1(cid int, amount int) "
                     "LANGUAGE plpgsql AS $$ BEGIN UPDATE account SET balance = " +
                     assignment + " WHERE id = cid; END $$;"};
  return options;
}

const SplitFailure& failure_of(const Examined& report, const std::string& line) {
  const std::vector<std::string> lines = lines_of(report);
  const auto found = std::ranges::find(lines, line);
  EXPECT_NE(found, lines.end()) << testing::PrintToString(lines);
  return report.failures[found == lines.end() ? 0 : found - lines.begin()];
}

TEST(ExecuteFailures, a_stop_leaves_half_and_a_second_call_does_it_twice) {
  const auto report = examine(kBank, kTwo, executed());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(
      lines_of(*report),
      ElementsAre("transfer 1 stop confirmed", "transfer 1 lost answer confirmed",
                  "transfer 1 aborted read by total 1 confirmed", "store 1 stop confirmed",
                  "store 1 aborted read by total 1 confirmed", "store 1 lost answer refuted"));
  const Finding& stopped = *report->failures[0].execution.finding;
  EXPECT_EQ(stopped.serial.size(), 2U);
  EXPECT_EQ(stopped.scenario.services.size(), 2U);
  EXPECT_EQ(stopped.effect, Effect::internal);
  EXPECT_THAT(stopped.explanation.then, HasSubstr("transfer commits what it has done so far"));
  const Finding& read = *report->failures[2].execution.finding;
  EXPECT_EQ(read.kind, AnomalyKind::aborted_read);
  EXPECT_EQ(read.serial.size(), 3U);
}

TEST(ExecuteFailures, invariants_are_broken_that_hold_after_all_that_is_right) {
  FailureOptions options = executed();
  options.execution->rows =
      SourceText{.file = "rows.sql",
                 .text = "INSERT INTO account VALUES (1, 100); INSERT INTO wallet VALUES (1, 50);"};
  options.execution->invariants = {
      {.name = "sum",
       .sql = {.text = "SELECT (SELECT sum(balance) FROM account) + "
                       "(SELECT sum(balance) FROM wallet) = 150",
               .position = {}}},
      {.name = "never", .sql = {.text = "SELECT false", .position = {}}}};
  const auto report = examine(kBank, kTwo, options);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(failure_of(*report, "transfer 1 stop confirmed").execution.broken_invariants,
              ElementsAre("sum"));
  EXPECT_THAT(failure_of(*report, "transfer 1 lost answer confirmed").execution.broken_invariants,
              ElementsAre("sum"));
  // Whatever it stores is another sum.
  EXPECT_THAT(failure_of(*report, "store 1 stop confirmed").execution.broken_invariants, IsEmpty());
}

TEST(ExecuteFailures, a_right_compensation_leaves_nothing_but_what_was_read) {
  const auto report = examine(kBank, kTwo, compensated_by("balance + amount"));
  ASSERT_TRUE(report) << to_string(report.error());
  const SplitFailure& undone = failure_of(*report, "transfer 1 compensation not shown");
  EXPECT_TRUE(undone.execution.was_run);
  EXPECT_THAT(undone.execution.reason, HasSubstr("it ends as transfer not at all does"));
  const SplitFailure& read = failure_of(*report, "transfer 1 aborted read by total 1 confirmed");
  EXPECT_EQ(read.execution.finding->effect, Effect::external);
  // Adding and taking away can be done in any order.
  EXPECT_THAT(lines_of(*report), Contains("transfer 1 aborted read by transfer 1 not shown"));
}

TEST(ExecuteFailures, a_wrong_compensation_is_shown) {
  const auto report = examine(kBank, kTwo, compensated_by("balance - amount"));
  ASSERT_TRUE(report) << to_string(report.error());
  const SplitFailure& undone = failure_of(*report, "transfer 1 compensation confirmed");
  EXPECT_EQ(undone.execution.finding->serial.size(), 1U);
}

TEST(ExecuteFailures, one_service_has_no_aborted_read) {
  const auto report = examine(kBank, R"({"M": ["account", "wallet"]})", executed());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report), IsEmpty());
}

TEST(ExecuteFailures, stops_in_a_round_of_a_loop_and_compensates_what_ran) {
  FailureOptions options = executed();
  options.compensations = SourceText{.file = "undo.sql", .text = R"(
CREATE PROCEDURE compensate_buy_1(items int[]) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stock SET quantity = quantity + 1 WHERE item = items[1];
END $$;
CREATE PROCEDURE compensate_buy_2(who int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + 1 WHERE id = who;
END $$;)"};
  const auto report = examine(R"(
CREATE TABLE stock (item int PRIMARY KEY, quantity int NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE buy(who int, items int[]) LANGUAGE plpgsql AS $$
DECLARE one int;
BEGIN
  FOREACH one IN ARRAY items LOOP
    UPDATE stock SET quantity = quantity - 1 WHERE item = one;
    UPDATE account SET balance = balance - 1 WHERE id = who;
  END LOOP;
END $$;)",
                              R"({"S": ["stock"], "A": ["account"]})", options);
  ASSERT_TRUE(report) << to_string(report.error());
  const SplitFailure& second = failure_of(*report, "buy 1 in 2 stop confirmed");
  const std::vector<StepRecord>& records = second.execution.finding->run.records;
  EXPECT_EQ(records.size(), 6U);  // three sub-transactions, each a statement and a COMMIT
  failure_of(*report, "buy 2 in 1 compensation not shown");
  failure_of(*report, "buy 1 in 1 compensation not shown");
  // What the first round did is not undone a second time.
  failure_of(*report, "buy 1 in 2 compensation confirmed");
}

TEST(ExecuteFailures, stops_in_a_branch) {
  const auto report = examine(R"(
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE move(p int) LANGUAGE plpgsql AS $$
DECLARE x int;
BEGIN
  SELECT n INTO x FROM a WHERE id = p;
  IF x > 10 THEN
    UPDATE a SET n = n - 10 WHERE id = p;
    UPDATE b SET n = n + 10 WHERE id = p;
  ELSE
    UPDATE b SET n = 0 WHERE id = p;
  END IF;
END $$;)",
                              R"({"A": ["a"], "B": ["b"]})", executed());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report),
              ElementsAre("move 1 stop confirmed", "move 1 lost answer confirmed",
                          "move 1 aborted read by move 1 confirmed"));
}

// The second call finds that the first one was there, and does not do the rest.
TEST(ExecuteFailures, a_second_call_that_is_told_apart_skips_the_rest) {
  const auto report = examine(R"(
CREATE TABLE seen (request int PRIMARY KEY);
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE pay(number int, who int) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  INSERT INTO seen VALUES (number) ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n = 1 THEN
    UPDATE account SET balance = balance - 5 WHERE id = who;
  END IF;
END $$;
CREATE PROCEDURE note(number int, who int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO seen VALUES (number) ON CONFLICT DO NOTHING;
  UPDATE account SET balance = 0 WHERE id = who;
END $$;)",
                              R"({"S": ["seen"], "A": ["account"]})", executed());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report), Contains("pay 1 lost answer confirmed"));
  EXPECT_THAT(lines_of(*report), Contains("note 1 lost answer refuted"));
}

TEST(ExecuteFailures, what_is_inserted_twice_is_there_twice) {
  const auto report = examine(R"(
CREATE TABLE orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer int NOT NULL);
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION buy(who int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE number int;
BEGIN
  INSERT INTO orders (customer) VALUES (who) RETURNING orders.id INTO number;
  UPDATE account SET balance = 0 WHERE id = who;
  RETURN number;
END $$;)",
                              R"({"O": ["orders"], "A": ["account"]})", executed());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report),
              ElementsAre("buy 1 stop confirmed", "buy 1 lost answer confirmed"));
}

}  // namespace
}  // namespace heddle

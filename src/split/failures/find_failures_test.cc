// What is listed and what is known without a run.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "split/failures/failures_testing.h"

namespace heddle {
namespace {

using failures::examine;
using failures::kBank;
using failures::kTwo;
using failures::lines_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(FindFailures, lists_each_way_at_each_border) {
  const auto report = examine(kBank, kTwo);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(
      lines_of(*report),
      ElementsAre("transfer 1 stop possible", "transfer 1 lost answer possible",
                  "transfer 1 aborted read by total 1 possible", "store 1 stop possible",
                  "store 1 aborted read by total 1 possible", "store 1 lost answer refuted"));
  EXPECT_EQ(report->failures.front().written, std::vector<std::string>{"account"});
  EXPECT_EQ(report->failures.front().missing, std::vector<std::string>{"wallet"});
}

TEST(FindFailures, one_service_has_none) {
  const auto report = examine(kBank, R"({"M": ["account", "wallet"]})");
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report), IsEmpty());
  EXPECT_EQ(report->in_uncut, 2U);  // the answer of the one transaction may be lost
}

TEST(FindFailures, all_are_counted_without_a_baseline) {
  FailureOptions options;
  options.split.counts_all = true;
  const auto report = examine(kBank, R"({"M": ["account", "wallet"]})", options);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report),
              ElementsAre("transfer 1 lost answer possible", "store 1 lost answer refuted"));
  EXPECT_TRUE(report->failures.front().is_end);
}

TEST(FindFailures, a_border_in_a_loop_is_one_for_each_round) {
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
                              R"({"S": ["stock"], "A": ["account"]})");
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report),
              ElementsAre("buy 1 in 1 stop possible", "buy 1 in 1 lost answer possible",
                          "buy 2 in 1 stop possible", "buy 2 in 1 lost answer possible",
                          "buy 1 in 2 stop possible", "buy 1 in 2 lost answer possible"));
}

TEST(FindFailures, a_branch_that_is_not_taken_is_not_before_a_border) {
  const auto report = examine(R"(
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE either(p int, high boolean) LANGUAGE plpgsql AS $$
BEGIN
  IF high THEN
    UPDATE a SET n = n + 1 WHERE id = p;
  ELSE
    UPDATE a SET n = 0 WHERE id = p;
    UPDATE b SET n = 0 WHERE id = p;
  END IF;
END $$;)",
                              R"({"A": ["a"], "B": ["b"]})");
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report),
              ElementsAre("either 2 stop possible", "either 2 lost answer refuted"));
}

TEST(FindFailures, branches_that_end_a_sub_transaction_alike_are_one_border) {
  const auto report = examine(R"(
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE either(p int, high boolean) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE a SET n = n + 1 WHERE id = p;
  IF high THEN
    UPDATE b SET n = 1 WHERE id = p;
  ELSE
    UPDATE b SET n = 0 WHERE id = p;
  END IF;
END $$;)",
                              R"({"A": ["a"], "B": ["b"]})");
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report),
              ElementsAre("either 1 stop possible", "either 1 lost answer possible"));
}

TEST(FindFailures, what_only_reads_later_stops_without_harm) {
  const auto report = examine(R"(
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION look(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x int;
BEGIN
  UPDATE a SET n = n + 1 WHERE id = p;
  SELECT n INTO x FROM b WHERE id = p;
  RETURN x;
END $$;)",
                              R"({"A": ["a"], "B": ["b"]})");
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report), ElementsAre("look 1 lost answer possible", "look 1 stop refuted"));
}

// What the second call reads and finds is what the first one has left.
TEST(FindFailures, what_hangs_on_the_first_call_is_not_refuted) {
  const auto report = examine(R"(
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE take(p int) LANGUAGE plpgsql AS $$
DECLARE x int;
BEGIN
  SELECT n INTO x FROM a WHERE id = p;
  UPDATE a SET n = 0 WHERE id = p;
  UPDATE b SET n = x WHERE id = p;
END $$;
CREATE PROCEDURE once(p int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO a VALUES (p, 1) ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN UPDATE b SET n = n + 1 WHERE id = p; END IF;
END $$;
CREATE PROCEDURE count_up(p int) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO a VALUES (p, 1) ON CONFLICT DO NOTHING;
  UPDATE b SET n = n + 1 WHERE id = p;
END $$;)",
                              R"({"A": ["a"], "B": ["b"]})");
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report), Contains("take 1 lost answer possible"));
  EXPECT_THAT(lines_of(*report), Contains("once 1 lost answer possible"));
  EXPECT_THAT(lines_of(*report), Contains("count_up 1 lost answer refuted"));
}

TEST(FindFailures, borders_of_the_uncut_program_are_its_own) {
  const auto report = examine(R"(
CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);
CREATE PROCEDURE f(p int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE a SET n = n + 1 WHERE id = p;
  COMMIT;
  UPDATE b SET n = n + 1 WHERE id = p;
END $$;)",
                              R"({"A": ["a"], "B": ["b"]})");
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_THAT(lines_of(*report), IsEmpty());
  EXPECT_EQ(report->in_uncut, 2U);
}

constexpr const char* kUndo = R"(CREATE PROCEDURE compensate_transfer_1(amount int, cid int)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = cid;
END $$;)";

Result<failures::Examined> compensated(const std::string& text) {
  FailureOptions options;
  options.compensations = SourceText{.file = "undo.sql", .text = text};
  return examine(kBank, kTwo, options);
}

TEST(FindFailures, compensations_belong_to_sub_transactions) {
  const auto report = compensated(kUndo);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(lines_of(*report)[2], "transfer 1 compensation possible");
  EXPECT_THAT(report->failures[2].compensations, ElementsAre("compensate_transfer_1"));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(FindFailures, compensations_that_fit_nothing_are_errors) {
  const auto error_of = [](const std::string& what, const std::string& by) {
    const auto report = compensated(replaced(kUndo, what, by));
    return report ? std::string("none") : to_string(report.error());
  };
  EXPECT_THAT(error_of("compensate_transfer_1", "undo_transfer"),
              HasSubstr("undo.sql:1:1: undo_transfer names no sub-transaction"));
  EXPECT_THAT(error_of("transfer", "transfre"),
              HasSubstr("undo.sql:1:1: the program has no functionality transfre, did you mean"));
  EXPECT_THAT(error_of("transfer_1", "transfer_3"),
              HasSubstr("undo.sql:1:1: transfer has no sub-transaction 3"));
  EXPECT_THAT(error_of("(amount int", "(sum int"),
              HasSubstr("undo.sql:1:1: transfer has no parameter sum"));
  EXPECT_THAT(error_of("UPDATE account", "UPDATE wallet"),
              HasSubstr("undo.sql:4:3: wallet is a table of M2"));
  EXPECT_THAT(error_of("UPDATE account", "UPDATE nothing"), HasSubstr("undo.sql:4:3"));
  EXPECT_THAT(error_of("UPDATE account SET", "UPDATE SET"), HasSubstr("undo.sql:4:"));
}

TEST(FindFailures, a_file_without_compensations_is_none) {
  const auto report = compensated("");
  ASSERT_FALSE(report);
  EXPECT_THAT(to_string(report.error()), HasSubstr("undo.sql: this is no file of compensations"));
}

}  // namespace
}  // namespace heddle

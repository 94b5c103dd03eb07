// Transactions that are tried again until their check of a version succeeds, searched and executed.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/program.h"

namespace heddle {
namespace {

constexpr const char* kRead = "SELECT balance, version INTO b, v FROM account WHERE id = p_id;\n";
constexpr const char* kChange =
    "UPDATE account SET balance = b + p_sum, version = v + 1 WHERE id = p_id AND version = v;\n";
constexpr const char* kEnd = "IF found THEN COMMIT; RETURN; END IF;\nROLLBACK;\n";

FindReport executed_retries(const std::string& body, std::size_t rounds = 2) {
  const std::string text =
      "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL, version int NOT NULL);\n"
      "CREATE TABLE log (id serial PRIMARY KEY, account int NOT NULL);\n"
      "CREATE PROCEDURE pay(p_id int, p_sum int) LANGUAGE plpgsql AS $$\n"
      "DECLARE b int; v int; n int := 0; done boolean := false;\nBEGIN\n" +
      body + "END $$;";
  const Result<Program> program = parse_program({{"p.sql", text}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  FindOptions options;
  options.level = IsolationLevel::postgres_read_committed;
  options.max_instances = 2;
  options.rounds = rounds;
  Result<FindReport> report = find_anomalies(*program, options);
  EXPECT_TRUE(report);
  const Result<void> done = execute_findings(*program, options, {.on = {{"postgres"}}}, *report);
  EXPECT_TRUE(done) << (done ? "" : to_string(done.error()));
  return std::move(*report);
}

std::size_t count_confirmed(const FindReport& report) {
  return static_cast<std::size_t>(std::ranges::count_if(
      report.causes, [](const FoundCause& cause) { return cause.execution->finding.has_value(); }));
}

bool has_rounds(const FindReport& report) {
  return std::ranges::any_of(report.causes, [](const FoundCause& cause) {
    return std::ranges::any_of(cause.cores, [](const FoundCycle& cycle) {
      return std::ranges::any_of(cycle.nodes, [](const FoundNode& node) {
        return std::ranges::any_of(node.rounds, [](std::size_t round) { return round > 0; });
      });
    });
  });
}

void expect_right(const std::string& body) {
  const FindReport report = executed_retries(body);
  EXPECT_EQ(count_confirmed(report), 0U) << body;
  EXPECT_FALSE(has_rounds(report)) << body;
}

void expect_wrong(const std::string& body) {
  const FindReport report = executed_retries(body);
  EXPECT_TRUE(std::ranges::any_of(report.causes, [](const FoundCause& cause) {
    return cause.execution->finding && cause.execution->finding->effect == Effect::internal;
  })) << body;
}

TEST(Retries, what_is_tried_again_is_one_transaction) {
  expect_right(std::string("FOR i IN 1..5 LOOP\n") + kRead + kChange + kEnd +
               "END LOOP;\nRAISE EXCEPTION 'too often';\n");
  expect_right(std::string("LOOP\n") + kRead + kChange + "EXIT WHEN found;\nEND LOOP;\n");
  expect_right(std::string("WHILE NOT done AND n < 4 LOOP\n") + kRead + kChange +
               "done := found;\nn := n + 1;\nCOMMIT;\nEND LOOP;\n"
               "IF NOT done THEN RAISE EXCEPTION 'too often'; END IF;\n");
}

TEST(Retries, a_version_that_is_not_checked_is_found) {
  expect_wrong(std::string("FOR i IN 1..5 LOOP\n") + kRead +
               "UPDATE account SET balance = b + p_sum, version = v + 1 WHERE id = p_id;\n" + kEnd +
               "END LOOP;\n");
}

TEST(Retries, a_value_of_an_earlier_attempt_is_found) {
  const std::string version = "SELECT version INTO v FROM account WHERE id = p_id;\n";
  const std::string end = "END LOOP;\nRAISE EXCEPTION 'too often';\n";
  expect_wrong("SELECT balance INTO b FROM account WHERE id = p_id;\nFOR i IN 1..5 LOOP\n" +
               version + kChange + kEnd + end);
  expect_wrong(
      "FOR i IN 1..5 LOOP\nIF b IS NULL THEN SELECT balance INTO b FROM account WHERE id = p_id; "
      "END IF;\n" +
      version + kChange + kEnd + end);
}

// A search of first attempts alone finds none of the cycles through a later one.
TEST(Retries, attempts_that_keep_a_value_are_told_apart) {
  const std::string body =
      std::string(
          "FOR i IN 1..5 LOOP\nIF b IS NULL THEN SELECT balance INTO b FROM account WHERE "
          "id = p_id; END IF;\nSELECT version INTO v FROM account WHERE id = p_id;\n") +
      kChange + kEnd + "END LOOP;\nRAISE EXCEPTION 'too often';\n";
  EXPECT_TRUE(has_rounds(executed_retries(body)));
  EXPECT_FALSE(has_rounds(executed_retries(body, 1)));
}

TEST(Retries, a_change_outside_of_the_attempt_is_found) {
  expect_wrong(
      std::string("FOR i IN 1..5 LOOP\nINSERT INTO log (account) VALUES (p_id);\nCOMMIT;\n") +
      kRead + kChange + kEnd + "END LOOP;\nRAISE EXCEPTION 'too often';\n");
}

TEST(Retries, who_gives_up_without_a_word_is_found) {
  expect_wrong(std::string("FOR i IN 1..1 LOOP\n") + kRead + kChange + kEnd + "END LOOP;\n");
}

}  // namespace
}  // namespace heddle

// Programs whose anomalies are made to happen on MariaDB, and on two servers that replicate each
// other.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/find.h"
#include "heddle/program.h"

namespace heddle {

namespace {

using testing::HasSubstr;

FindReport execute_on_mariadb(const std::string& sql, const std::string& level,
                              const std::string& store) {
  const Result<Program> program = parse_program({{"p.sql", sql}});
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    return {};
  }
  FindOptions options;
  options.level = find_isolation_level(level);
  options.max_instances = 2;
  Result<FindReport> report = find_anomalies(*program, options);
  ExecuteOptions execution;
  execution.on.texts = {store};
  const Result<void> executed = execute_findings(*program, options, execution, *report);
  EXPECT_TRUE(executed) << to_string(executed.error());
  return std::move(*report);
}

// Of the causes in which the program's functionality of that number takes part.
std::vector<FindingStatus> statuses(const FindReport& report, std::size_t functionality) {
  std::vector<FindingStatus> all;
  for (const FoundCause& cause : report.causes) {
    const bool is_there = std::ranges::any_of(cause.cores[0].nodes, [&](const FoundNode& node) {
      return node.functionality == functionality;
    });
    if (is_there && cause.execution) all.push_back(cause.execution->status);
  }
  return all;
}

constexpr std::size_t kMariadbDeposit = 0;
constexpr std::size_t kAdd = 1;
constexpr const char* kBank = R"(
CREATE TABLE account (id integer PRIMARY KEY, balance numeric(10,2) NOT NULL, open boolean DEFAULT true);
CREATE FUNCTION deposit(who integer, amount numeric) RETURNS void AS $$
DECLARE b numeric; BEGIN
  SELECT balance INTO b FROM account WHERE id = who AND open;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account'; END IF;
  UPDATE account SET balance = b + amount WHERE id = who;
END $$ LANGUAGE plpgsql;
CREATE FUNCTION add(who integer, amount numeric) RETURNS void AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = who;
END $$ LANGUAGE plpgsql;
)";

TEST(ExecuteMariadb, confirms_a_lost_update_and_refutes_what_adds) {
  const FindReport report = execute_on_mariadb(kBank, "mariadb:repeatable-read", "mariadb");
  EXPECT_THAT(statuses(report, kMariadbDeposit), testing::Contains(FindingStatus::confirmed));
  for (const FoundCause& cause : report.causes) {
    ASSERT_TRUE(cause.execution);
    EXPECT_TRUE(cause.execution->was_run) << cause.execution->reason;
  }
}

// copy() comes to row 1 before it matches, and waits for row 3 until it does.
TEST(ExecuteMariadb, an_update_passes_over_a_row_that_matches_later) {
  const FindReport report = execute_on_mariadb(R"(
CREATE TABLE t (id int PRIMARY KEY, x int NOT NULL, y int NOT NULL);
CREATE PROCEDURE set_both(v int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET x = v WHERE id = 3;
  UPDATE t SET x = v WHERE id = 1;
END $$;
CREATE PROCEDURE copy() LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET y = x WHERE x > 1;
END $$;
)",
                                               "mariadb:read-committed", "mariadb");
  ASSERT_EQ(report.causes.size(), 1U);
  EXPECT_EQ(report.causes[0].execution->status, FindingStatus::confirmed);
}

TEST(ExecuteMariadb, a_functionality_may_set_its_level) {
  const FindReport report = execute_on_mariadb(R"(
CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);
CREATE PROCEDURE deposit(who integer, amount integer) LANGUAGE plpgsql AS $$
DECLARE b integer; BEGIN
  SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
  SELECT balance INTO b FROM account WHERE id = who;
  UPDATE account SET balance = b + amount WHERE id = who;
  COMMIT;
END $$;
)",
                                               "mariadb:read-committed", "mariadb");
  ASSERT_EQ(report.causes.size(), 1U);
  EXPECT_EQ(report.causes[0].execution->status, FindingStatus::confirmed);
}

TEST(ExecuteMariadb, says_what_mariadb_cannot_be_asked) {
  const FindReport report = execute_on_mariadb(R"(
CREATE TABLE account (id integer PRIMARY KEY, balance integer NOT NULL);
CREATE FUNCTION deposit(who integer, amount integer) RETURNS void AS $$
DECLARE b integer; BEGIN
  SELECT balance INTO b FROM account WHERE id = who;
  UPDATE account SET balance = b + amount WHERE id = who RETURNING balance INTO b;
END $$ LANGUAGE plpgsql;
)",
                                               "mariadb:read-committed", "mariadb");
  ASSERT_FALSE(report.causes.empty());
  for (const FoundCause& cause : report.causes) {
    ASSERT_TRUE(cause.execution);
    EXPECT_EQ(cause.execution->status, FindingStatus::not_executable);
    EXPECT_FALSE(cause.execution->was_run);
    EXPECT_THAT(cause.execution->reason, HasSubstr("MariaDB cannot be asked"));
  }
}

// Even what adds to a value is lost where the servers send each other whole rows.
TEST(ExecuteMariadb, loses_what_adds_on_two_servers) {
  const FindReport report = execute_on_mariadb(kBank, "eventual", "mariadb:ring");
  EXPECT_THAT(statuses(report, kMariadbDeposit), testing::Contains(FindingStatus::confirmed));
  EXPECT_THAT(statuses(report, kAdd), testing::Contains(FindingStatus::confirmed));
}

}  // namespace
}  // namespace heddle

// What ends in errors, executed: the search and the runs agree on what is an outcome and what is
// not.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/constraints.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/program.h"

namespace heddle {
namespace {

using testing::Contains;
using testing::Each;
using testing::Not;
using testing::StartsWith;

struct Given {
  std::string level = "postgres:read-committed";
  std::vector<std::string> refusals = {};
  std::string constraints = {};
};

FindReport executed(const std::string& sql, const Given& given) {
  const Result<Program> program = parse_program({{"p.sql", sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  FindOptions options;
  options.level = find_isolation_level(given.level);
  options.max_instances = 2;
  options.refusals = given.refusals;
  if (!given.constraints.empty()) {
    const Result<Constraints> constraints = parse_constraints(given.constraints, "c");
    EXPECT_TRUE(constraints) << (constraints ? "" : to_string(constraints.error()));
    if (constraints) options.constraints = *constraints;
  }
  Result<FindReport> report = find_anomalies(*program, options);
  EXPECT_TRUE(report);
  const Result<void> done = execute_findings(*program, options, {.on = {{"postgres"}}}, *report);
  EXPECT_TRUE(done) << (done ? "" : to_string(done.error()));
  return std::move(*report);
}

// "read skew: confirmed error only", of each cause.
std::vector<std::string> ends_of(const FindReport& report) {
  std::vector<std::string> texts;
  for (const FoundCause& cause : report.causes) {
    const FoundExecution& execution = *cause.execution;
    std::string text = std::string(definition(cause.kind).name) + ": ";
    text += to_string(execution.status);
    if (execution.finding) {
      text += execution.finding->error_only
                  ? " error only"
                  : " " + std::string(to_string(execution.finding->effect));
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

std::vector<std::string> ends_of(const std::string& sql, const Given& given = {}) {
  return ends_of(executed(sql, given));
}

constexpr const char* kAgree =
    "initially \"agree\" { SELECT p.a = q.a FROM pair p JOIN pair q ON p.id <> q.id }";

// Rahmani et al. 2019: one writes two rows, the other reads both, and this is what it does then.
std::string pairs(const std::string& end) {
  return "CREATE TABLE pair (id int PRIMARY KEY, a int NOT NULL);\n"
         "CREATE PROCEDURE put(v int) LANGUAGE plpgsql AS $$ BEGIN\n"
         "UPDATE pair SET a = v WHERE id = 1;\nUPDATE pair SET a = v WHERE id = 2;\nEND $$;\n"
         "CREATE PROCEDURE look() LANGUAGE plpgsql AS $$ DECLARE x int; y int; BEGIN\n"
         "SELECT a INTO x FROM pair WHERE id = 1;\nSELECT a INTO y FROM pair WHERE id = 2;\n" +
         end + "\nEND $$;\n";
}

TEST(ExecuteErrors, an_assertion_that_only_an_interleaving_breaks) {
  for (const char* end :
       {"IF x <> y THEN RAISE EXCEPTION 'they differ'; END IF;", "ASSERT x = y;"}) {
    EXPECT_THAT(ends_of(pairs(end), {.constraints = kAgree}),
                Contains("read skew: confirmed error only"))
        << end;
    EXPECT_THAT(ends_of(pairs(end)), Contains(StartsWith("read skew: confirmed"))) << end;
  }
}

TEST(ExecuteErrors, a_refusal_is_left_out) {
  const std::string again =
      "IF x <> y THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;";
  EXPECT_THAT(ends_of(pairs(again), {.constraints = kAgree}),
              Each(Not(StartsWith("read skew: confirmed"))));
  const std::string differ = "IF x <> y THEN RAISE EXCEPTION 'they differ'; END IF;";
  EXPECT_THAT(ends_of(pairs(differ), {.refusals = {"they *"}, .constraints = kAgree}),
              Each(Not(StartsWith("read skew: confirmed"))));
}

std::string versions(const std::string& end) {
  return "CREATE TABLE doc (id int PRIMARY KEY, version int NOT NULL, body int NOT NULL);\n"
         "CREATE PROCEDURE save(d int, b int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN\n"
         "SELECT version INTO v FROM doc WHERE id = d;\n"
         "UPDATE doc SET body = b, version = v + 1 WHERE id = d AND version = v;\n" +
         end + "\nEND $$;\n";
}

TEST(ExecuteErrors, who_finds_another_version_gives_up) {
  EXPECT_THAT(ends_of(versions("IF NOT FOUND THEN RAISE EXCEPTION 'late'; END IF;")),
              Each(Not(testing::HasSubstr("confirmed"))));
  // Nobody tells its user.
  EXPECT_THAT(ends_of(versions("")), Contains(testing::HasSubstr("confirmed internal")));
}

// Another key than the primary one, and no error where it is executed one after the other.
TEST(ExecuteErrors, a_key_that_only_an_interleaving_violates) {
  const std::string enroll =
      "CREATE TABLE member (id serial PRIMARY KEY, name text UNIQUE, n int);\n"
      "CREATE PROCEDURE enroll(who text) LANGUAGE plpgsql AS $$ DECLARE c int; BEGIN\n"
      "SELECT n INTO c FROM member WHERE name = who;\n"
      "IF NOT FOUND THEN INSERT INTO member (name, n) VALUES (who, 1); END IF;\nEND $$;\n";
  for (const char* level : {"postgres:read-committed", "postgres:repeatable-read"}) {
    EXPECT_THAT(ends_of(enroll, {.level = level}),
                Contains(testing::EndsWith("confirmed error only")))
        << level;
  }
  EXPECT_THAT(ends_of(enroll, {.refusals = {"unique_violation"}}),
              Each(Not(testing::HasSubstr("confirmed"))));
}

// What a functionality cannot do in any order is no difference.
TEST(ExecuteErrors, an_error_of_every_serial_order_is_none) {
  const std::string sql =
      "CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL);\n"
      "CREATE PROCEDURE f(i int) LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN\n"
      "SELECT a INTO x FROM t WHERE id = i FOR UPDATE;\nUPDATE t SET a = x + 1 WHERE id = i;\n"
      "RAISE EXCEPTION 'no';\nEND $$;\n";
  EXPECT_THAT(ends_of(sql), Each(Not(testing::HasSubstr("confirmed"))));
}

}  // namespace
}  // namespace heddle

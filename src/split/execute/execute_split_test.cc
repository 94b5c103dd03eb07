// Cores of a cut, executed on a real PostgreSQL.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/split.h"

namespace heddle {
namespace {

constexpr const char* kBank = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION total(cid int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; w int;
BEGIN
  SELECT balance INTO a FROM account WHERE id = cid;
  SELECT balance INTO w FROM wallet WHERE id = cid;
  RETURN a + w;
END $$;
CREATE PROCEDURE store(cid int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = amount WHERE id = cid;
  UPDATE wallet SET balance = amount WHERE id = cid;
END $$;)";

// Both cores are confirmed: read skew between total and store, dirty write between two of store.
void expect_confirmed(const std::string& text) {
  const Result<Program> program = parse_program({{"bank.sql", text}});
  ASSERT_TRUE(program) << to_string(program.error());
  const Result<Cut> cut = parse_cut(R"({"M1": ["account"], "M2": ["wallet"]})", "cut.json");
  ASSERT_TRUE(cut);
  const SplitOptions options;
  Result<SplitReport> report = split_program(*program, *cut, options);
  ASSERT_TRUE(report) << to_string(report.error());
  ExecuteOptions execution;
  execution.on.texts = {"postgres"};
  const Result<void> done = execute_split(options, execution, *report);
  ASSERT_TRUE(done) << to_string(done.error());
  std::size_t cores = 0;
  for (const SplitCause& cause : report->causes) {
    if (!cause.is_core) continue;
    ++cores;
    ASSERT_TRUE(cause.execution);
    EXPECT_EQ(cause.execution->status, FindingStatus::confirmed) << cause.execution->reason;
  }
  EXPECT_EQ(cores, 2U);
}

TEST(ExecuteSplit, confirms_what_the_cut_adds) { expect_confirmed(kBank); }

TEST(ExecuteSplit, follows_a_join_into_the_caller) {
  const std::string bank = kBank;
  const std::size_t begin = bank.find("  SELECT balance INTO a");
  const std::size_t end = bank.find("  RETURN a + w;");
  expect_confirmed(bank.substr(0, begin) +
                   "  SELECT account.balance, wallet.balance INTO a, w FROM account JOIN wallet ON "
                   "wallet.id = account.id WHERE account.id = cid;\n" +
                   bank.substr(end));
}

// What is paid is not paid twice, so that nobody mixes two payments of it.
TEST(ExecuteSplit, refutes_what_the_rows_do_not_let_happen) {
  const std::string guarded =
      "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
      "CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);\n"
      "CREATE PROCEDURE pay(o int, amount int) LANGUAGE plpgsql AS $$ DECLARE paid int; BEGIN\n"
      "SELECT balance INTO paid FROM account WHERE id = o;\n"
      "IF paid = 0 THEN\nUPDATE account SET balance = 1 WHERE id = o;\n"
      "UPDATE wallet SET balance = amount WHERE id = o;\nEND IF; END $$;\n";
  for (const bool is_guarded : {true, false}) {
    std::string text = guarded;
    // A canary: without the mark two payments mix.
    if (!is_guarded) text.replace(text.find("SET balance = 1"), 15, "SET balance = 0");
    const Result<Program> program = parse_program({{"pay.sql", text}});
    ASSERT_TRUE(program) << to_string(program.error());
    const Result<Cut> cut = parse_cut(R"({"M1": ["account"], "M2": ["wallet"]})", "cut.json");
    const SplitOptions options;
    Result<SplitReport> report = split_program(*program, *cut, options);
    ASSERT_TRUE(report) << to_string(report.error());
    SplitReport cut_short = *report;
    cut_short.bound = "--timeout";
    ExecuteOptions execution;
    execution.on.texts = {"postgres"};
    for (SplitReport* one : {&*report, &cut_short}) {
      ASSERT_TRUE(execute_split(options, execution, *one));
      const auto mixed =
          std::ranges::find(one->causes, AnomalyKind::dirty_write, &SplitCause::kind);
      ASSERT_NE(mixed, one->causes.end());
      // What was not searched to the end may have other cycles.
      EXPECT_EQ(mixed->execution->status == FindingStatus::refuted, is_guarded && one == &*report)
          << mixed->execution->reason;
    }
  }
}

// The executed cores of the program cut into M1 and M2.
std::vector<SplitCause> executed_cores(const std::string& sql, const std::string& services) {
  const Result<Program> program = parse_program({{"p.sql", sql}});
  EXPECT_TRUE(program) << to_string(program.error());
  const Result<Cut> cut = parse_cut(services, "cut.json");
  EXPECT_TRUE(cut);
  const SplitOptions options;
  Result<SplitReport> report = split_program(*program, *cut, options);
  EXPECT_TRUE(report) << to_string(report.error());
  ExecuteOptions execution;
  execution.on.texts = {"postgres"};
  EXPECT_TRUE(execute_split(options, execution, *report));
  std::erase_if(report->causes, [](const SplitCause& cause) { return !cause.is_core; });
  return std::move(report->causes);
}

// Sums come to the same in either order; a canary: the last of two values that are set does not.
TEST(ExecuteSplit, refutes_what_comes_to_the_same_in_either_order) {
  for (const bool adds : {true, false}) {
    const std::string value = adds ? "balance + amount" : "amount";
    const std::vector<SplitCause> cores = executed_cores(
        "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
        "CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);\n"
        "CREATE PROCEDURE store(cid int, amount int) LANGUAGE plpgsql AS $$ BEGIN\n"
        "UPDATE account SET balance = " +
            value +
            " WHERE id = cid;\n"
            "UPDATE wallet SET balance = " +
            value + " WHERE id = cid;\nEND $$;\n",
        R"({"M1": ["account"], "M2": ["wallet"]})");
    ASSERT_EQ(cores.size(), 1U);
    const FoundExecution& execution = *cores[0].execution;
    EXPECT_EQ(execution.status, adds ? FindingStatus::refuted : FindingStatus::confirmed)
        << execution.reason;
    if (adds) {
      EXPECT_EQ(execution.reason,
                "what its statements do to account (balance) comes to the same in either order");
    }
  }
}

// A note is left of somebody who is gone: the key between the services would not allow it.
TEST(ExecuteSplit, confirms_what_keys_between_services_no_longer_forbid) {
  const std::vector<SplitCause> cores = executed_cores(
      "CREATE TABLE person (id int PRIMARY KEY);\n"
      "CREATE TABLE note (id int PRIMARY KEY, person int NOT NULL REFERENCES person (id));\n"
      "CREATE PROCEDURE leave(p int) LANGUAGE plpgsql AS $$ BEGIN\n"
      "DELETE FROM person WHERE id = p;\nDELETE FROM note WHERE person = p;\nEND $$;\n"
      "CREATE PROCEDURE add(p int, n int) LANGUAGE plpgsql AS $$ DECLARE q int; BEGIN\n"
      "SELECT id INTO q FROM person WHERE id = p;\n"
      "IF q IS NOT NULL THEN INSERT INTO note (id, person) VALUES (n, p); END IF;\nEND $$;\n",
      R"({"M1": ["person"], "M2": ["note"]})");
  EXPECT_TRUE(std::ranges::any_of(cores, [](const SplitCause& core) {
    return core.execution->status == FindingStatus::confirmed &&
           core.execution->finding->effect == Effect::internal;
  }));
}

}  // namespace
}  // namespace heddle

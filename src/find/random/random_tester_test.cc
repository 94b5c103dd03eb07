// The random tester finds what is easy to find, calls nothing broken that is not, and does the same
// again for the same seed.
#include "find/random/random_tester.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/random/random_arguments.h"
#include "heddle/explore.h"
#include "heddle/program.h"

namespace heddle::find {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::IsEmpty;

constexpr const char* kBank = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE entry (account int NOT NULL REFERENCES account (id), amount int NOT NULL);
CREATE PROCEDURE pay(which int, amount_paid int, note text) LANGUAGE plpgsql AS $$
DECLARE before int;
BEGIN
  IF note IS NOT NULL THEN RETURN; END IF;
  SELECT balance INTO before FROM account WHERE id = which;
  UPDATE account SET balance = before + amount_paid WHERE id = which;
  INSERT INTO entry VALUES (which, amount_paid);
END $$;
CREATE PROCEDURE overdraw(which int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance - 1000 WHERE id = which;
  INSERT INTO entry VALUES (which, -1000);
END $$;
CREATE PROCEDURE pay_all(many int[]) LANGUAGE plpgsql AS $$
DECLARE one int;
BEGIN
  FOREACH one IN ARRAY many LOOP
    UPDATE account SET balance = balance + 1 WHERE id = one;
    INSERT INTO entry VALUES (one, 1);
  END LOOP;
END $$;
)";

constexpr const char* kRows =
    "INSERT INTO account VALUES (71, 10), (72, 10); INSERT INTO entry VALUES (71, 10), (72, 10);";

constexpr const char* kInvariants = R"(
invariant "entries add up" {
  SELECT balance = (SELECT coalesce(sum(amount), 0) FROM entry WHERE account = id) FROM account
}
invariant "no overdraft" { SELECT balance >= 0 FROM account }
invariant "two accounts" { SELECT count(*) = 2 FROM account }
)";

class RandomTesterTest : public testing::Test {
 protected:
  RandomTesterTest() {
    Result<Program> program = parse_program({{"bank.sql", kBank}});
    EXPECT_TRUE(program);
    program_ = *std::move(program);
    Result<Scenario> invariants =
        parse_scenario(std::string(kInvariants) + "session s step s { SELECT 1; }", "bank.txt");
    EXPECT_TRUE(invariants);
    test_ = {.program = &program_,
             .rows = {.file = "rows.sql", .text = kRows},
             .invariants = std::move(invariants->invariants),
             .on = {.texts = {"replicated"}}};
  }

  RandomReport run(const RandomOptions& options) const {
    Result<RandomReport> report = test_at_random(test_, options);
    EXPECT_TRUE(report) << to_string(report.error());
    return report ? *std::move(report) : RandomReport();
  }

  Program program_;
  RandomTest test_;
};

std::vector<std::string> names_in(const RandomReport& report) {
  std::vector<std::string> names;
  for (const RandomBreak& broken : report.breaks) names.push_back(broken.invariant);
  return names;
}

TEST_F(RandomTesterTest, breaks_what_interleavings_break_and_serial_orders_keep) {
  const RandomReport report = run({.runs = 40});
  EXPECT_THAT(names_in(report), testing::ElementsAre("entries add up"));
  EXPECT_EQ(report.runs, 40U);
  // An overdraft needs no interleaving.
  EXPECT_GT(report.serially_broken, 0U);
}

TEST_F(RandomTesterTest, does_the_same_for_the_same_seed) {
  const RandomReport first = run({.seed = 7, .runs = 15});
  const RandomReport second = run({.seed = 7, .runs = 15});
  const RandomReport other = run({.seed = 8, .runs = 15});
  EXPECT_EQ(first.calls, second.calls);
  ASSERT_EQ(names_in(first), names_in(second));
  for (std::size_t i = 0; i < first.breaks.size(); ++i) {
    EXPECT_EQ(first.breaks[i].run, second.breaks[i].run);
    EXPECT_EQ(first.breaks[i].spec, second.breaks[i].spec);
  }
  ASSERT_FALSE(first.breaks.empty());
  ASSERT_FALSE(other.breaks.empty());
  EXPECT_NE(first.breaks[0].spec, other.breaks[0].spec);
}

TEST_F(RandomTesterTest, what_it_breaks_is_a_spec_file_that_breaks_it_again) {
  const RandomReport report = run({.most_calls = 3, .runs = 60});
  ASSERT_FALSE(report.breaks.empty());
  const Result<Scenario> scenario = parse_scenario(report.breaks[0].spec, "random.spec");
  ASSERT_TRUE(scenario) << to_string(scenario.error());
  ExploreOptions options;
  options.on = test_.on;
  const Result<ExploreReport> explored = explore(*scenario, options);
  ASSERT_TRUE(explored) << to_string(explored.error());
  ASSERT_FALSE(explored->levels[0].findings.empty());
  EXPECT_THAT(explored->levels[0].findings[0].broken_invariants, Contains("entries add up"));
}

TEST_F(RandomTesterTest, one_client_breaks_nothing_on_one_copy) {
  const RandomReport report = run({.clients = 1, .network = RandomNetwork::prompt, .runs = 20});
  EXPECT_THAT(report.breaks, IsEmpty());
}

// The one who reads before the other has written overwrites it also on one copy.
TEST_F(RandomTesterTest, orders_of_steps_alone_may_be_random) {
  const RandomReport report = run({.network = RandomNetwork::prompt, .runs = 60});
  EXPECT_THAT(names_in(report), testing::ElementsAre("entries add up"));
  EXPECT_EQ(report.breaks[0].spec.find("DELIVER"), std::string::npos);
  const RandomReport sticky = run({.network = RandomNetwork::sticky, .runs = 60});
  EXPECT_THAT(names_in(sticky), testing::ElementsAre("entries add up"));
  EXPECT_EQ(sticky.breaks[0].spec.find("MOVE SESSION"), std::string::npos);
}

TEST_F(RandomTesterTest, runs_on_postgres) {
  test_.on.texts = {"postgres"};
  test_.level = IsolationLevel::postgres_read_committed;
  const RandomReport report = run({.fewest_calls = 5, .runs = 12});
  EXPECT_THAT(names_in(report), testing::ElementsAre("entries add up"));
}

TEST_F(RandomTesterTest, rows_have_to_keep_the_invariants) {
  test_.rows.text = "INSERT INTO account VALUES (71, 10);";
  const Result<RandomReport> report = test_at_random(test_, {.runs = 1});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().what, testing::HasSubstr("the rows break the invariant"));
}

TEST_F(RandomTesterTest, keys_are_drawn_from_the_rows_and_the_rest_is_made_up) {
  const Table& account = program_.schema.tables[0];
  const std::vector<FilledRow> rows = {{.table = &account, .cells = {{"id", "71"}}},
                                       {.table = &account, .cells = {{"id", "72"}}}};
  const RandomArguments arguments(program_, rows);
  RandomNumbers random(1);
  std::set<Cell> keys;
  std::set<Cell> amounts;
  std::set<Cell> notes;
  std::set<Cell> arrays;
  for (int i = 0; i < 100; ++i) {
    const std::vector<Cell> pay = arguments.draw(0, random);
    ASSERT_EQ(pay.size(), 3U);
    keys.insert(pay[0]);
    amounts.insert(pay[1]);
    notes.insert(pay[2]);
    arrays.insert(arguments.draw(2, random).at(0));
  }
  EXPECT_THAT(keys, testing::ElementsAre("71", "72"));
  EXPECT_THAT(amounts, testing::SizeIs(10));
  // The code asks whether it is there.
  EXPECT_THAT(notes, AllOf(Contains(Cell()), Contains(Cell("3"))));
  EXPECT_THAT(arrays, AllOf(Contains(Cell("{\"71\"}")), Contains(Cell("{\"71\",\"72\"}"))));
}

}  // namespace
}  // namespace heddle::find

// What tools before this one got wrong, each as a test.
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::StartsWith;

// Two transactions that only write: their cycle is of write dependencies alone.
const std::string kBlindWrites =
    "CREATE TABLE a (id int PRIMARY KEY, x int NOT NULL);\n"
    "CREATE TABLE b (id int PRIMARY KEY, y int NOT NULL);\n" +
    routine("store(k int, v int)",
            "BEGIN\nUPDATE a SET x = v WHERE id = k;\nUPDATE b SET y = v WHERE id = k;\nEND");

FindOptions at(IsolationLevel level, FindEngine engine = FindEngine::fast) {
  FindOptions options;
  options.engine = engine;
  options.level = level;
  options.max_instances = 2;
  options.max_length = 4;
  options.jobs = 1;
  return options;
}

// Cycles at the bounds, all kinds of statements.
const std::string kSmallRaces =
    kWithdraw + "CREATE TABLE savings (id int PRIMARY KEY, balance int NOT NULL);\n" +
    routine("move(acc int, amount int)",
            "DECLARE b int; s int;\nBEGIN\n"
            "SELECT balance INTO b FROM account WHERE id = acc;\n"
            "SELECT balance INTO s FROM savings WHERE id = acc;\n"
            "UPDATE account SET balance = b - amount WHERE id = acc;\n"
            "UPDATE savings SET balance = s + amount WHERE id = acc;\n"
            "END");

TEST(EarlierMistakes, edges_between_two_writes_are_not_left_out) {
  for (const FindEngine engine : {FindEngine::fast, FindEngine::reference}) {
    const auto report = find_anomalies(parse(kBlindWrites), at(IsolationLevel::eventual, engine));
    ASSERT_TRUE(report);
    ASSERT_EQ(report->causes.size(), 1U);
    EXPECT_EQ(report->causes[0].kind, AnomalyKind::dirty_write);
    for (const FoundEdge& edge : report->causes[0].cores.front().edges) {
      EXPECT_EQ(edge.kind, DependencyKind::ww);
    }
  }
}

// The limit of votes is a count, which a reading of the program by hand left out.
TEST(EarlierMistakes, a_check_of_an_aggregate_is_not_dropped) {
  const Program program = known_program("voter");
  const auto report = find_anomalies(program, at(IsolationLevel::postgres_read_committed));
  ASSERT_TRUE(report);
  ASSERT_EQ(report->causes.size(), 1U);
  std::vector<std::string> statements;
  for (const FoundNode& node : report->causes[0].cores.front().nodes) {
    const auto listed = list_statements(program.functionalities[node.functionality]);
    statements.push_back(listed[node.statement].statement->statement.text);
  }
  EXPECT_THAT(statements, Contains(StartsWith("SELECT COUNT(*) FROM votes")));
  EXPECT_THAT(statements, Contains(StartsWith("INSERT INTO votes")));
}

TEST(EarlierMistakes, transactions_are_kept_together_and_apart_as_their_level_says) {
  EXPECT_THAT(causes(kBlindWrites, "eventual"), testing::SizeIs(1));
  EXPECT_THAT(causes(kBlindWrites, "read-committed"), IsEmpty());
  EXPECT_THAT(causes(kWithdraw, "read-committed"), testing::SizeIs(1));
  EXPECT_THAT(causes(kWithdraw, "snapshot"), IsEmpty());
}

// A solver that gives up has not said "no".
TEST(EarlierMistakes, what_the_solver_gives_up_on_is_not_taken_for_impossible) {
  const Program program = parse(kSmallRaces);
  FindOptions options = at(IsolationLevel::eventual);
  const Found all = cycles_of(program, options);
  EXPECT_THAT(all.undecided, IsEmpty());
  options.solver_steps = 1;
  const Found hasty = cycles_of(program, options);
  EXPECT_FALSE(hasty.undecided.empty());
  std::set<std::string> known = hasty.cycles;
  known.insert(hasty.undecided.begin(), hasty.undecided.end());
  for (const std::string& cycle : all.cycles) EXPECT_TRUE(known.contains(cycle)) << cycle;
}

TEST(EarlierMistakes, one_formula_that_is_given_up_is_said_to_be_unfinished) {
  FindOptions options = at(IsolationLevel::eventual, FindEngine::reference);
  options.solver_steps = 1;
  const auto report = find_anomalies(parse(kSmallRaces), options);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->bound, StartsWith("the solver's bound"));
}

// Three searches in SmallBank once gave 13, 55 and 63 anomalies.
TEST(EarlierMistakes, a_length_is_searched_to_its_end_every_time) {
  const Program program = known_program("smallbank");
  FindOptions options = at(IsolationLevel::eventual);
  options.jobs = 0;
  const Found first = cycles_of(program, options);
  EXPECT_GT(first.cycles.size(), 63U);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(cycles_of(program, options).cycles, first.cycles);
}

// Of the same length: what comes before it in the order of statements cannot happen.
TEST(EarlierMistakes, a_candidate_that_cannot_happen_does_not_end_the_search) {
  const auto increment = [](const std::string& name, const std::string& condition) {
    return routine(name + "(acc int)",
                   "DECLARE b int;\nBEGIN\n"
                   "SELECT balance INTO b FROM account WHERE id = acc;\n"
                   "IF " +
                       condition +
                       " THEN\n"
                       "  UPDATE account SET balance = b + 1 WHERE id = acc;\n"
                       "END IF;\nEND");
  };
  const std::string program = std::string(kAccount) + increment("before", "b > 1 AND b < 1") +
                              increment("middle", "b > 1") + increment("over", "b > 1 AND b < 0");
  EXPECT_THAT(causes(program, "postgres:read-committed"),
              testing::ElementsAre("lost update: middle middle on account"));
}

// A structure that is found again, in another rotation or with transactions in each other's place,
// is not counted again.
TEST(EarlierMistakes, each_structure_is_counted_once) {
  const Program program = known_program("smallbank");
  const auto report = find_anomalies(program, at(IsolationLevel::eventual));
  ASSERT_TRUE(report);
  std::set<std::string> distinct;
  std::size_t cycles = 0;
  for (const FoundCause& cause : report->causes) {
    for (const auto* found : {&cause.cores, &cause.extensions}) {
      cycles += found->size();
      for (const FoundCycle& cycle : *found) distinct.insert(shown(cycle, program));
    }
  }
  EXPECT_EQ(distinct.size(), cycles);
  EXPECT_GE(report->counts.skeletons, distinct.size());
}

}  // namespace
}  // namespace heddle::find

// With and without reduction the same outcomes must be found, on PostgreSQL and on MariaDB.
#include "explore/conflicts.h"

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "explore/conflicts_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;

// Two sessions of up to five short steps, or three of up to three, over three tables; no two of
// three sessions wait for the same row, because the store would choose who gets it.
class Scenarios {
 public:
  explicit Scenarios(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    std::string text =
        "setup { CREATE TABLE a (id int PRIMARY KEY, v int);\n"
        "        CREATE TABLE b (id int PRIMARY KEY, v int);\n"
        "        CREATE TABLE c (id int PRIMARY KEY, a int REFERENCES a (id));\n"
        "        INSERT INTO a VALUES (1, 10), (2, 20); INSERT INTO b VALUES (1, 10), (2, 20); }\n"
        "teardown { DROP TABLE c; DROP TABLE b; DROP TABLE a; }\n";
    const int sessions = below(3) == 0 ? 3 : 2;
    for (int session = 1; session <= sessions; ++session) {
      text += fmt::format("session s{}\n", session);
      const int steps = 1 + below(sessions == 3 ? 1 : 3);
      const bool transaction = below(4) != 0;
      int number = 0;
      const auto add = [&](const std::string& sql) {
        text += fmt::format("step t{}{} {{ {}; }}\n", session, ++number, sql);
      };
      if (transaction) add("BEGIN");
      for (int step = 0; step < steps; ++step) add(statement(session, sessions == 3));
      if (transaction) add(below(5) == 0 ? "ROLLBACK" : "COMMIT");
    }
    return text;
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

  std::string statement(int session, bool three) {
    // Of three sessions each writes a table of its own.
    const char* const written = three ? (session == 1   ? "a"
                                         : session == 2 ? "b"
                                                        : "c")
                                      : (below(2) == 0 ? "a" : "b");
    const char* const read = below(2) == 0 ? "a" : "b";
    const int row = 1 + below(2);
    if (three && session == 3) {
      return below(2) == 0 ? "INSERT INTO c (id) VALUES (7)" : "SELECT v FROM b WHERE id = 1";
    }
    switch (below(8)) {
      case 0:
        return fmt::format("SELECT v FROM {} WHERE id = {}", read, row);
      case 1:
        return fmt::format("SELECT id, v FROM {} WHERE v > 10", read);
      case 2:
        return three ? fmt::format("SELECT id, v FROM {}", read)
                     : fmt::format("SELECT v FROM {} WHERE id = {} FOR UPDATE", read, row);
      case 3:
        return fmt::format("INSERT INTO {} VALUES ({}, 30)", written, 3 + session);
      case 4:
        return fmt::format("DELETE FROM {} WHERE id = {}", written, row);
      case 5:
        return three ? "SELECT count(*) FROM c"
                     : fmt::format("INSERT INTO c VALUES ({}, {})", session, row);
      default:
        return fmt::format("UPDATE {} SET v = v * 2 + {} WHERE id = {}", written, below(3), row);
    }
  }

  std::mt19937_64 random_;
};

TEST(StepConflicts, the_same_outcomes_with_fewer_runs) {
  std::size_t all_runs = 0;
  std::size_t reduced_runs = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(18); ++seed) {
    const Scenario scenario = scenario_of(Scenarios(seed).text());
    const ReducedLevel& level = kReducedLevels[seed % std::size(kReducedLevels)];
    const ReducedOutcomes all = outcomes_of(scenario, level, false);
    const ReducedOutcomes reduced = outcomes_of(scenario, level, true);
    EXPECT_EQ(all.texts, reduced.texts) << seed << " at " << definition(level.level).name << "\n"
                                        << to_spec(scenario);
    EXPECT_LE(reduced.runs, all.runs);
    all_runs += all.runs;
    reduced_runs += reduced.runs;
  }
  EXPECT_LT(2 * reduced_runs, all_runs);
}

// A canary: without an eye on commits outcomes are lost.
TEST(StepConflicts, the_comparison_notices_a_lost_outcome) {
  const Scenario scenario = accounts_with(R"(
session s1
step w1 { UPDATE account SET balance = 1 WHERE id = 1; }
session s2
step r2 { SELECT balance FROM account WHERE id = 2; }
)");
  const ReducedLevel level = kReducedLevels[0];
  EXPECT_EQ(outcomes_of(scenario, level, false).texts, outcomes_of(scenario, level, true).texts);
  EXPECT_EQ(outcomes_of(scenario, level, true).runs, 1U);
  const Scenario other = accounts_with(R"(
session s1
step w1 { UPDATE account SET balance = 1 WHERE id = 1; }
session s2
step r2 { SELECT balance FROM account WHERE id = 1; }
)");
  EXPECT_EQ(outcomes_of(other, level, true).texts.size(), 2U);
}

// "a b": the steps of two sessions that are in conflict.
std::string conflicts_text(const std::string& sessions, IsolationLevel level,
                           Dialect dialect = Dialect::postgres) {
  const Scenario scenario = accounts_with(sessions);
  const auto runner = must(Runner::create(scenario, server_of(dialect), {level, 30'000}));
  const StepConflicts conflicts(scenario, runner->catalogue(), runner->statements(), {dialect},
                                level);
  if (!conflicts.reason().empty()) return conflicts.reason();
  std::vector<std::string> pairs;
  for (const StepId a : scenario.sessions[0].steps) {
    for (const StepId b : scenario.sessions[1].steps) {
      if (!conflicts.in_conflict(a, b)) continue;
      pairs.push_back(scenario.steps[a.index()].name + " " + scenario.steps[b.index()].name);
    }
  }
  return join(pairs, ", ");
}

TEST(StepConflicts, rows_commits_and_snapshots) {
  const std::string sessions = R"(
session s1
step begin1 { BEGIN; }
step write1 { UPDATE account SET balance = 0 WHERE id = 1; }
step commit1 { COMMIT; }
session s2
step begin2 { BEGIN; }
step read2 { SELECT balance FROM account WHERE id = 2; }
step again2 { SELECT balance FROM account WHERE id = 1; }
step commit2 { COMMIT; }
)";
  EXPECT_EQ(conflicts_text(sessions, IsolationLevel::postgres_read_committed),
            "write1 again2, commit1 read2, commit1 again2");
  EXPECT_THAT(conflicts_text(sessions, IsolationLevel::postgres_serializable),
              HasSubstr("order of commits"));
  EXPECT_THAT(conflicts_text(sessions, IsolationLevel::mariadb_repeatable_read, Dialect::mysql),
              HasSubstr("write1 read2"));
}

TEST(StepConflicts, rows_that_constants_of_other_words_name) {
  const auto meet = [](const std::string& first, const std::string& second) {
    const std::string text = conflicts_text(
        fmt::format("session s1\nstep a {{ UPDATE account SET balance = 0 WHERE id = {}; }}\n"
                    "session s2\nstep b {{ UPDATE account SET balance = 1 WHERE id = {}; }}\n",
                    first, second),
        IsolationLevel::postgres_read_committed);
    return text == "a b";
  };
  EXPECT_FALSE(meet("1", "2"));
  EXPECT_FALSE(meet("'1'", "-1"));
  EXPECT_TRUE(meet("1", "'1'"));
  EXPECT_TRUE(meet("01", "1"));
  EXPECT_TRUE(meet("1", "'+1'"));
  EXPECT_TRUE(meet("1", "' 1'"));
  EXPECT_TRUE(meet("-0", "0"));
}

TEST(StepConflicts, what_is_not_known_conflicts_with_everything) {
  EXPECT_EQ(conflicts_text("session s1\nstep a { VACUUM; }\nsession s2\nstep b { SELECT 1; }\n",
                           IsolationLevel::postgres_read_committed),
            "a b");
  EXPECT_EQ(conflicts_text("session s1\nstep a { SELECT pg_advisory_lock(1); }\n"
                           "session s2\nstep b { SELECT 1; }\n",
                           IsolationLevel::postgres_read_committed),
            "the scenario mentions \"pg_advisory\"");
}

}  // namespace
}  // namespace heddle

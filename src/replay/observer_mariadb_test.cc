// What sessions saw on MariaDB that was not committed, and writes that change nothing: Hermitage's
// anomalies of read uncommitted.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "base/text.h"
#include "heddle/dependency.h"
#include "replay/isolationtester_runner.h"
#include "replay/random_scenario_testing.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

constexpr IsolationLevel kLevels[] = {IsolationLevel::mariadb_read_uncommitted,
                                      IsolationLevel::mariadb_read_committed,
                                      IsolationLevel::mariadb_repeatable_read};

// The anomalies of a run between single transactions, a line each; a row and the search for it
// are one.
std::string anomalies(const std::string& sessions, const std::string& names,
                      IsolationLevel level = IsolationLevel::mariadb_read_uncommitted) {
  const Scenario scenario = scenario_of(
      "setup { CREATE TABLE test (id int PRIMARY KEY, value int);"
      "        INSERT INTO test VALUES (1, 10), (2, 20); }" +
      sessions);
  const auto runner = must(Runner::create(scenario, shared_mariadb(), {level, 30'000}));
  const Schedule schedule = schedule_from(scenario, names);
  const auto observed =
      must(runner->run_observed(scripts_from(scenario, schedule), follow(scenario, schedule)));
  EXPECT_EQ(find_flaw(observed.history), std::nullopt);
  std::string text;
  const History& history = observed.history;
  for (const Cycle& cycle : find_anomalies(history, dependency_graph(history), Unit::transaction)) {
    const std::string line =
        std::string(definition(cycle.kind).name) + ": " + to_string(cycle, history) + "\n";
    if (!text.ends_with(line)) text += line;
  }
  return text;
}

constexpr const char* kReader = R"(
session s2
step r1 { BEGIN; SELECT * FROM test WHERE id = 1; }
step r2 { SELECT * FROM test WHERE id = 1; }
step c2 { COMMIT; }
)";

TEST(ObserverMariadb, who_finds_a_row_gone_depends_on_who_deleted_it) {
  const auto sessions = [](const std::string& second) {
    return R"(
session s1
step b1 { BEGIN; SELECT * FROM test WHERE id = 1; }
step d1 { DELETE FROM test WHERE id = 1; }
step c1 { COMMIT; }
session s2
step b2 { BEGIN; SELECT * FROM test WHERE id = 1; }
step d2 { )" +
           second +
           R"( }
step c2 { COMMIT; }
)";
  };
  for (const IsolationLevel level : kLevels) {
    for (const char* const second :
         {"DELETE FROM test WHERE id = 1;", "UPDATE test SET value = 3 WHERE id = 1;"}) {
      for (const char* const order : {"b1 b2 d1 d2 c1 c2", "b1 b2 d1 c1 d2 c2"}) {
        EXPECT_EQ(anomalies(sessions(second), order, level),
                  "non-repeatable read: s1 -wr test(id=1) in \"id = 1\"-> s2 -rw test(id=1)-> s1\n")
            << definition(level).name << " " << order << " " << second;
      }
    }
  }
}

TEST(ObserverMariadb, aborted_read) {
  const std::string writer = R"(
session s1
step w1 { BEGIN; UPDATE test SET value = 101 WHERE id = 1; }
step a1 { ROLLBACK; }
)";
  EXPECT_EQ(anomalies(writer + kReader, "w1 r1 a1 r2 c2"),
            "aborted read: s2 reads test(id=1) from s1, which did not commit\n");
  EXPECT_EQ(anomalies(writer + kReader, "r1 r2 c2 w1 a1"), "");
  EXPECT_EQ(anomalies(writer + kReader, "w1 r1 a1 r2 c2", IsolationLevel::mariadb_read_committed),
            "");
}

// A transaction that is over with its step had the level of its session.
TEST(ObserverMariadb, aborted_read_by_a_single_statement) {
  const std::string writer = R"(
session s1
step w1 { BEGIN; UPDATE test SET value = 101 WHERE id = 1; }
step a1 { ROLLBACK; }
session s2
)";
  const std::string expected = "aborted read: s2 reads test(id=1) from s1, which did not commit\n";
  const std::string alone = "step r { SELECT * FROM test WHERE id = 1; }";
  EXPECT_EQ(anomalies(writer + alone, "w1 r a1"), expected);
  EXPECT_EQ(anomalies(writer + alone, "w1 r a1", IsolationLevel::mariadb_read_committed), "");
  EXPECT_EQ(
      anomalies(writer + "step r { BEGIN; SELECT * FROM test WHERE id = 1; COMMIT; }", "w1 r a1"),
      expected);
  const std::string of_its_own =
      "setup { SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED; }";
  EXPECT_EQ(
      anomalies(writer + of_its_own + alone, "w1 r a1", IsolationLevel::mariadb_repeatable_read),
      expected);
}

TEST(ObserverMariadb, intermediate_read) {
  const std::string writer = R"(
session s1
step w1 { BEGIN; UPDATE test SET value = 101 WHERE id = 1; }
step w2 { UPDATE test SET value = 11 WHERE id = 1; }
step c1 { COMMIT; }
)";
  EXPECT_EQ(anomalies(writer + kReader, "w1 r1 w2 c1 r2 c2"),
            "intermediate read: s2 reads test(id=1) from s1, which changed it again\n");
  // What it read first is what was committed then: all of s2 comes behind s1.
  EXPECT_EQ(anomalies(writer + kReader, "w1 w2 r1 r2 c2 c1"), "");
}

TEST(ObserverMariadb, a_savepoint_takes_back_what_was_read) {
  const std::string writer = R"(
session s1
step w1 { BEGIN; SAVEPOINT a; UPDATE test SET value = 101 WHERE id = 1; }
step w2 { ROLLBACK TO SAVEPOINT a; UPDATE test SET value = 21 WHERE id = 2; }
step c1 { COMMIT; }
)";
  EXPECT_EQ(anomalies(writer + kReader, "w1 r1 w2 c1 r2 c2"),
            "intermediate read: s2 reads test(id=1) from s1, which changed it again\n");
}

TEST(ObserverMariadb, a_deletion_that_was_rolled_back) {
  const std::string writer = R"(
session s1
step w1 { BEGIN; DELETE FROM test WHERE id = 1; }
step a1 { ROLLBACK; }
)";
  EXPECT_EQ(anomalies(writer + kReader, "w1 r1 a1 r2 c2"),
            "aborted read: s2 reads test(id=1) from s1, which did not commit\n");
}

TEST(ObserverMariadb, an_intermediate_read_of_a_row_that_is_then_deleted) {
  const std::string writer = R"(
session s1
step w1 { BEGIN; UPDATE test SET value = 101 WHERE id = 1; }
step c1 { DELETE FROM test WHERE id = 1; COMMIT; }
step both { BEGIN; UPDATE test SET value = 102 WHERE id = 2; }
step end { UPDATE test SET value = 103 WHERE id = 2; COMMIT; }
session s2
step r { SELECT * FROM test; }
)";
  EXPECT_EQ(anomalies(writer, "w1 r c1 both end"),
            "intermediate read: s2 reads test(id=1) from s1, which changed it again\n");
  EXPECT_EQ(anomalies(writer, "w1 c1 both r end"),
            "intermediate read: s2 reads test(id=2) from s1#2, which changed it again\n");
}

TEST(ObserverMariadb, a_deletion_that_was_committed_is_seen_uncommitted) {
  const std::string deleter = "session s1\nstep d { BEGIN; DELETE FROM test; COMMIT; }\n";
  EXPECT_EQ(anomalies(deleter + kReader, "r1 d r2 c2"),
            "non-repeatable read: s2 -rw test(id=1)-> s1 -wr test(id=1) in \"id = 1\"-> s2\n");
}

// Both end with one step, and the store does not tell who wrote what.
TEST(ObserverMariadb, who_inserts_has_made_the_row) {
  const std::string sessions = R"(
session s1
step look { BEGIN; SELECT * FROM test WHERE id = 3 FOR UPDATE; }
step gone { DELETE FROM test WHERE id = 2; }
step c { COMMIT; }
session s2
step all { BEGIN; SELECT sum(value) FROM test; INSERT INTO test VALUES (3, 30); COMMIT; }
)";
  EXPECT_EQ(anomalies(sessions, "look all gone c", IsolationLevel::mariadb_repeatable_read),
            "phantom: s1 -rw test(id=3) in \"id = 3\"-> s2 -rw test(id=2)-> s1\n");
}

TEST(ObserverMariadb, circular_information_flow) {
  const std::string sessions = R"(
session s1
step w1 { BEGIN; UPDATE test SET value = 11 WHERE id = 1; }
step r1 { SELECT * FROM test WHERE id = 2; }
step c1 { COMMIT; }
session s2
step w2 { BEGIN; UPDATE test SET value = 22 WHERE id = 2; }
step r2 { SELECT * FROM test WHERE id = 1; }
step c2 { COMMIT; }
)";
  EXPECT_EQ(anomalies(sessions, "w1 w2 r1 r2 c1 c2"),
            "circular information flow: s1 -wr test(id=1)-> s2 -wr test(id=2)-> s1\n");
  EXPECT_EQ(anomalies(sessions, "w1 w2 r1 r2 c1 c2", IsolationLevel::mariadb_read_committed),
            "write skew: s1 -rw test(id=2)-> s2 -rw test(id=1)-> s1\n");
}

// The second one finds the row as it wants to have it, and MariaDB leaves it alone.
TEST(ObserverMariadb, a_lost_update_that_changes_nothing) {
  const std::string sessions = R"(
session s1
step r1 { BEGIN; SELECT value FROM test WHERE id = 1; }
step w1 { UPDATE test SET value = 11 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step r2 { BEGIN; SELECT value FROM test WHERE id = 1; }
step w2 { UPDATE test SET value = 11 WHERE id = 1; }
step c2 { COMMIT; }
)";
  for (const char* names : {"r1 r2 w1 c1 w2 c2", "r1 r2 w1 w2 c1 c2"}) {
    EXPECT_THAT(anomalies(sessions, names, IsolationLevel::mariadb_read_committed),
                testing::StartsWith("lost update: s1 -ww test(id=1)-> s2 -rw test(id=1)-> s1\n"))
        << names;
  }
}

// The row of a step that reads the balance of one, and what it got; none: another step.
std::optional<std::pair<int, std::string>> balance_read(const StepRecord& record) {
  static const std::regex kRead("SELECT balance FROM account WHERE id = ([0-9])");
  for (std::size_t i = 0; i < record.replies.size(); ++i) {
    std::smatch match;
    const std::string sent = join(record.sent, ";");
    const auto& result = record.replies[i].result;
    if (!result || result->rows.empty() || !std::regex_search(sent, match, kRead)) continue;
    return std::pair(std::stoi(match[1]), result->rows[0][0].value_or("NULL"));
  }
  return std::nullopt;
}

// Every balance that a step got is that of the version that it is said to have read. What a
// transaction reads of rows that it writes itself is its own.
void expect_read_values(const ObservedRun& observed, std::size_t& count) {
  const History& history = observed.history;
  for (const Operation& operation : history.operations) {
    if (operation.kind != OperationKind::read) continue;
    const RowVersion& version = history.versions[operation.version.index()];
    const bool is_own = std::ranges::any_of(history.operations, [&](const Operation& write) {
      return write.kind == OperationKind::write && write.transaction == operation.transaction &&
             history.versions[write.version.index()].row == version.row;
    });
    if (is_own) continue;
    const auto read = balance_read(observed.run.records.at(operation.step));
    if (!read) continue;
    ++count;
    EXPECT_EQ(version.value.value_or("gone"), fmt::format("({},{})", read->first, read->second));
  }
}

TEST(ObserverMariadb, random_reads_are_of_the_versions_whose_values_they_got) {
  std::size_t reads = 0;
  for (std::uint64_t seed = 0; seed < test_rounds(24); ++seed) {
    const Scenario scenario = scenario_of(RandomScenario(seed).text());
    const IsolationLevel level = kLevels[seed % std::size(kLevels)];
    const auto runner = must(Runner::create(scenario, shared_mariadb(), {level, 30'000}));
    std::size_t number = 0;
    for_each_permutation(scenario, [&](const Schedule& schedule) {
      if (number++ % 5 != 0) return true;
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, to_string(scenario, schedule)));
      const auto observed =
          must(runner->run_observed(scripts_of(scenario), follow(scenario, schedule)));
      EXPECT_EQ(find_flaw(observed.history), std::nullopt);
      expect_read_values(observed, reads);
      return true;
    });
  }
  EXPECT_GT(reads, 0U);
}

}  // namespace
}  // namespace heddle

// What watching a run writes down, and the cycles that follow from it.
#include "replay/observe/observer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/dependency.h"
#include "replay/isolationtester_runner.h"
#include "replay/random_scenario_testing.h"
#include "replay/replay_testing.h"
#include "store/open/open.h"

namespace heddle {
namespace {

std::string version_text(const History& history, VersionId id) {
  const RowVersion& version = history.versions[id.index()];
  const std::string writer =
      version.writer ? history.transactions[version.writer->index()].name : "start";
  return fmt::format("{} {} by {}", to_string(history.rows[version.row.index()]),
                     version.value.value_or("gone"), writer);
}

// One line per operation, under the name of its transaction. Of predicates only what they saw and
// what satisfies them, by number of rows.
std::string history_text(const Scenario& scenario, const ObservedRun& observed) {
  const History& history = observed.history;
  std::string text;
  for (const HistoryTransaction& transaction : history.transactions) {
    text += fmt::format("{} {}\n", transaction.name, to_string(transaction.outcome));
    for (const OperationId id : transaction.operations) {
      const Operation& operation = history.operations[id.index()];
      const StepRecord& record = observed.run.records.at(operation.step);
      text += fmt::format("  {} {} ", scenario.steps[record.step.index()].name,
                          to_string(operation.kind));
      if (operation.kind == OperationKind::predicate_read) {
        text += fmt::format("{} where {}: {} visible, {} matching\n", operation.table,
                            operation.predicate.empty() ? "true" : operation.predicate,
                            operation.visible.size(), operation.matching.size());
      } else {
        text += version_text(history, operation.version) + "\n";
      }
    }
  }
  return text;
}

std::string cycles_text(const History& history, Unit unit) {
  std::string text;
  for (const Cycle& cycle : find_anomalies(history, dependency_graph(history), unit)) {
    text += fmt::format("{}: {}\n", definition(cycle.kind).name, to_string(cycle, history));
  }
  return text;
}

ObservedRun observe(Runner& runner, const Scenario& scenario, const std::string& names) {
  const Schedule schedule = schedule_from(scenario, names);
  auto observed =
      must(runner.run_observed(scripts_from(scenario, schedule), follow(scenario, schedule)));
  EXPECT_EQ(find_flaw(observed.history), std::nullopt);
  return observed;
}

ObservedRun observe(const Scenario& scenario, const std::string& names,
                    std::optional<IsolationLevel> level = std::nullopt) {
  return observe(*runner_for(scenario, level), scenario, names);
}

std::string cycles_of(const std::string& sessions, const std::string& names,
                      std::optional<IsolationLevel> level = std::nullopt) {
  return cycles_text(observe(accounts_with(sessions), names, level).history, Unit::session);
}

constexpr const char* kLostUpdate = R"(
session s1
step b1 { BEGIN; SELECT balance FROM account WHERE id = 1 \gset }
step w1 { UPDATE account SET balance = :balance + 10 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step b2 { BEGIN; SELECT balance FROM account WHERE id = 1 \gset }
step w2 { UPDATE account SET balance = :balance + 20 WHERE id = 1; }
step c2 { COMMIT; }
)";

TEST(Observer, a_lost_update_row_by_row) {
  const Scenario scenario = accounts_with(kLostUpdate);
  const ObservedRun observed = observe(scenario, "b1 b2 w1 w2 c1 c2");
  EXPECT_EQ(history_text(scenario, observed),
            "s1 committed\n"
            "  b1 read account(id=1) (1,100) by start\n"
            "  b1 predicate-read account where id = 1: 2 visible, 3 matching\n"
            "  w1 read account(id=1) (1,100) by start\n"
            "  w1 predicate-read account where id = 1: 2 visible, 3 matching\n"
            "  w1 write account(id=1) (1,110) by s1\n"
            "s2 committed\n"
            "  b2 read account(id=1) (1,100) by start\n"
            "  b2 predicate-read account where id = 1: 2 visible, 3 matching\n"
            "  w2 read account(id=1) (1,110) by s1\n"
            "  w2 predicate-read account where id = 1: 2 visible, 3 matching\n"
            "  w2 write account(id=1) (1,120) by s2\n");
  EXPECT_EQ(cycles_text(observed.history, Unit::session),
            "lost update: s1 -ww account(id=1)-> s2 -rw account(id=1)-> s1\n"
            "non-repeatable read: s1 -wr account(id=1)-> s2 -rw account(id=1)-> s1\n")
      << "w2 looked at the row again, after its wait";
}

// A statement that waited sees what it waited for, and no conflict that is none.
TEST(Observer, after_a_wait_the_newest_version_was_read) {
  const std::string sessions = R"(
session s1
step w1 { BEGIN; UPDATE account SET balance = balance + 1 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step b2 { BEGIN; }
step w2 { UPDATE account SET balance = balance * 2 WHERE id = 1; }
step d2 { DELETE FROM account WHERE id = 1; }
step c2 { COMMIT; }
)";
  EXPECT_EQ(cycles_of(sessions, "w1 b2 w2 c1 c2"), "");
  EXPECT_EQ(cycles_of(sessions, "w1 b2 d2 c1 c2"), "");
  EXPECT_EQ(cycles_of(sessions, "w1 w2 c1"), "") << "both end with one step";
  EXPECT_EQ(cycles_of(sessions, "w1 d2 c1"), "");
}

// Watching must not change what is watched.
TEST(Observer, an_observed_run_is_the_run) {
  for (std::uint64_t seed = 40; seed < 52; ++seed) {
    const Scenario scenario = scenario_of(RandomScenario(seed).text());
    const auto runner = runner_for(
        scenario, seed % 2 == 0 ? IsolationLevel::read_committed : IsolationLevel::repeatable_read);
    std::size_t number = 0;
    for_each_permutation(scenario, [&](const Schedule& schedule) {
      if (number++ % 4 != 0) return true;
      const auto run =
          must(runner->run_interleaved(scripts_of(scenario), follow(scenario, schedule)));
      const auto observed =
          must(runner->run_observed(scripts_of(scenario), follow(scenario, schedule)));
      EXPECT_EQ(text_of(scenario, observed.run), text_of(scenario, run));
      EXPECT_EQ(find_flaw(observed.history), std::nullopt);
      return true;
    });
  }
}

// Elle's and Adya's names for what the levels of PostgreSQL let through.
TEST(Observer, cycles_have_the_names_of_the_literature) {
  EXPECT_EQ(cycles_of(R"(
session s1
setup { BEGIN; }
step r1 { SELECT balance FROM account WHERE id = 1; }
step q1 { SELECT balance FROM account WHERE id = 1; }
step c1 { COMMIT; }
session s2
step w2 { UPDATE account SET balance = 5 WHERE id = 1; }
)",
                      "r1 w2 q1 c1"),
            "non-repeatable read: s1 -rw account(id=1)-> s2 -wr account(id=1)-> s1\n");
  EXPECT_EQ(cycles_of(R"(
session s1
setup { BEGIN; }
step r1 { SELECT balance FROM account WHERE id = 1; }
step q1 { SELECT balance FROM account WHERE id = 2; }
step c1 { COMMIT; }
session s2
step w2 { BEGIN; UPDATE account SET balance = 5 WHERE id = 1; UPDATE account SET balance = 6 WHERE id = 2; COMMIT; }
)",
                      "r1 w2 q1 c1"),
            "read skew: s1 -rw account(id=1)-> s2 -wr account(id=2)-> s1\n");
}

constexpr const char* kWriteSkew = R"(
session s1
setup { BEGIN; }
step r1 { SELECT balance FROM account WHERE id = 1; }
step w1 { UPDATE account SET balance = 0 WHERE id = 2; }
step c1 { COMMIT; }
session s2
setup { BEGIN; }
step r2 { SELECT balance FROM account WHERE id = 2; }
step w2 { UPDATE account SET balance = 0 WHERE id = 1; }
step c2 { COMMIT; }
)";

TEST(Observer, write_skew_under_snapshot_isolation) {
  EXPECT_EQ(cycles_of(kWriteSkew, "r1 r2 w1 w2 c1 c2", IsolationLevel::snapshot),
            "write skew: s1 -rw account(id=1)-> s2 -rw account(id=2)-> s1\n");
  EXPECT_EQ(cycles_of(kWriteSkew, "r1 w1 c1 r2 w2 c2", IsolationLevel::snapshot), "")
      << "s2's setup takes no snapshot, so that s2 begins after s1";
  const Scenario scenario = accounts_with(kWriteSkew);
  const ObservedRun observed = observe(scenario, "r1 r2 w1 w2 c1 c2", IsolationLevel::serializable);
  EXPECT_EQ(observed.run.aborted.size(), 1U);
  EXPECT_EQ(cycles_text(observed.history, Unit::session), "");
}

TEST(Observer, phantoms_are_seen_by_predicates) {
  EXPECT_EQ(cycles_of(R"(
session s1
setup { BEGIN; }
step r1 { SELECT count(*) FROM account WHERE balance > 150; }
step i1 { INSERT INTO account VALUES (11, 200); }
step c1 { COMMIT; }
session s2
setup { BEGIN; }
step r2 { SELECT count(*) FROM account WHERE balance > 150; }
step i2 { INSERT INTO account VALUES (12, 200); }
step c2 { COMMIT; }
)",
                      "r1 r2 i1 i2 c1 c2"),
            "phantom: s1 -rw account(id=12) in \"balance > 150\"-> "
            "s2 -rw account(id=11) in \"balance > 150\"-> s1\n");
}

TEST(Observer, deletes_and_inserts_are_versions) {
  const Scenario scenario = accounts_with(R"(
session s1
step d { DELETE FROM account WHERE id = 1; }
step i { INSERT INTO account VALUES (1, 7); }
session s2
step r { SELECT * FROM account; }
)");
  EXPECT_EQ(history_text(scenario, observe(scenario, "d r i")),
            "s1 committed\n"
            "  d read account(id=1) (1,100) by start\n"
            "  d predicate-read account where id = 1: 2 visible, 2 matching\n"
            "  d write account(id=1) gone by s1\n"
            "s2 committed\n"
            "  r read account(id=2) (2,100) by start\n"
            "  r predicate-read account where true: 2 visible, 3 matching\n"
            "s1#2 committed\n"
            "  i write account(id=1) (1,7) by s1#2\n");
}

// Each of two reads a row, and then does something to it.
std::string both_read_and(const std::string& first, const std::string& second) {
  return fmt::format(R"(
session s1
step b1 {{ BEGIN; SELECT balance FROM account WHERE id = 1; }}
step d1 {{ {}; }}
step c1 {{ COMMIT; }}
session s2
step b2 {{ BEGIN; SELECT balance FROM account WHERE id = 1; }}
step d2 {{ {}; }}
step c2 {{ COMMIT; }}
)",
                     first, second);
}

constexpr const char* kDelete = "DELETE FROM account WHERE id = 1";
constexpr const char* kUpdate = "UPDATE account SET balance = balance + 1 WHERE id = 1";
constexpr const char* kSelect = "SELECT balance FROM account WHERE id = 1";

TEST(Observer, who_finds_a_row_gone_depends_on_who_deleted_it) {
  // The later one waits, or comes when it is gone.
  for (const char* const order : {"b1 b2 d1 d2 c1 c2", "b1 b2 d1 c1 d2 c2"}) {
    for (const char* const second : {kDelete, kUpdate, kSelect}) {
      if (second == std::string(kSelect) && std::string(order).find("d2 c1") != std::string::npos) {
        continue;  // it does not wait, and still finds the row
      }
      EXPECT_EQ(
          cycles_of(both_read_and(kDelete, second), order),
          "non-repeatable read: s1 -wr account(id=1) in \"id = 1\"-> s2 -rw account(id=1)-> s1\n")
          << order << ": " << second;
    }
  }
}

// Whoever comes later finds it gone. That is an order, and no cycle, also where neither is first
// with everything.
TEST(Observer, two_that_delete_the_same_rows_lose_no_update) {
  const std::string sessions = R"(
session s1
step x1 { BEGIN; DELETE FROM account WHERE id = 1; }
step y1 { DELETE FROM account WHERE id = 2; }
step c1 { COMMIT; }
session s2
step x2 { BEGIN; DELETE FROM account WHERE id = 1; }
step y2 { DELETE FROM account WHERE id = 2; }
step c2 { COMMIT; }
)";
  EXPECT_EQ(cycles_of(sessions, "x1 x2 y1 c1 y2 c2"), "");
  EXPECT_EQ(cycles_of(sessions, "x1 y1 c1 x2 y2 c2"), "");
}

// What was made and deleted before has not been missed.
TEST(Observer, what_came_and_went_was_not_missed) {
  const Scenario scenario = accounts_with(R"(
session s1
step i { INSERT INTO account VALUES (3, 7); }
step d { DELETE FROM account WHERE id = 3; }
step a { INSERT INTO account VALUES (3, 8); }
session s2
step r { SELECT * FROM account WHERE id = 3; }
)");
  const auto edges = [&](const std::string& names) {
    const ObservedRun observed = observe(scenario, names);
    const History& history = observed.history;
    std::string text;
    for (const DependencyEdge& edge : dependency_graph(history).edges) {
      const std::string& from = history.transactions[edge.from.index()].name;
      const std::string& to = history.transactions[edge.to.index()].name;
      if (from != "s2" && to != "s2") continue;
      text += fmt::format("{} {} {};", from, to_string(edge.kind), to);
    }
    return text;
  };
  EXPECT_EQ(edges("i d r"), "s1#2 wr s2;");
  EXPECT_EQ(edges("i d r a"), "s1#2 wr s2;s2 rw s1#3;");
  EXPECT_EQ(edges("r i d"), "s2 rw s1;");
}

TEST(Observer, rolled_back_and_ended_transactions_install_nothing) {
  const Scenario scenario = accounts_with(R"(
session s1
step u { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step x { ROLLBACK; }
session s2
step e { BEGIN; UPDATE account SET balance = 2 WHERE id = 2; SELECT 1/0; }
step y { COMMIT; }
)");
  const ObservedRun observed = observe(scenario, "u e x y");
  EXPECT_EQ(observed.history.versions.size(), 2U) << "the initial ones";
  for (const HistoryTransaction& transaction : observed.history.transactions) {
    EXPECT_EQ(transaction.outcome, TransactionOutcome::aborted) << transaction.name;
  }
}

// Somebody was told what it read.
TEST(Observer, who_rolls_back_has_read) {
  const std::string sessions = R"(
session s1
step r1 { BEGIN; SELECT * FROM account WHERE id = 1; }
step r2 { SELECT * FROM account WHERE id = 1; }
step x { ROLLBACK; }
session s2
step w { UPDATE account SET balance = 1 WHERE id = 1; }
)";
  EXPECT_EQ(cycles_of(sessions, "r1 w r2 x"),
            "non-repeatable read: s1 -rw account(id=1)-> s2 -wr account(id=1)-> s1\n");
  EXPECT_EQ(cycles_of(sessions, "r1 r2 w x"), "");
}

TEST(Observer, what_was_not_run_has_read_nothing) {
  const Scenario scenario = accounts_with(R"(
session s1
step e { BEGIN; SELECT 1/0; }
step r { SELECT * FROM account WHERE id = 1; }
step u { UPDATE account SET balance = 1 WHERE id = 1; }
step x { ROLLBACK; }
)");
  EXPECT_EQ(history_text(scenario, observe(scenario, "e r u x")), "s1 aborted\n");
}

TEST(Observer, who_meets_a_row_has_read_it) {
  const auto sessions = [](const std::string& refused) {
    return R"(
session s1
step r { BEGIN; SELECT * FROM account WHERE id = 3; }
step w { )" +
           refused + R"(; }
step c { COMMIT; }
session s2
step m { INSERT INTO account VALUES (3, 1); }
)";
  };
  const std::string phantom =
      "phantom: s1 -rw account(id=3) in \"id = 3\"-> s2 -wr account(id=3)-> s1\n";
  EXPECT_EQ(cycles_of(sessions("INSERT INTO account VALUES (3, 2)"), "r m w c"), phantom);
  EXPECT_EQ(cycles_of(sessions("INSERT INTO account VALUES (4, 2), (3, 2)"), "r m w c"), phantom);
  EXPECT_THAT(
      cycles_of(sessions("INSERT INTO account VALUES (3, 2) ON CONFLICT DO NOTHING"), "r m w c"),
      testing::StartsWith(phantom));
  EXPECT_EQ(cycles_of(sessions("INSERT INTO account VALUES (4, 2)"), "r m w c"), "");
  EXPECT_EQ(cycles_of(sessions("INSERT INTO account VALUES (3, 2)"), "m r w c"), "");
}

TEST(Observer, who_is_refused_for_a_foreign_key_has_read) {
  const auto cycles = [](const std::string& sessions, const std::string& names) {
    const Scenario scenario = scenario_of(R"(
setup { CREATE TABLE parent (id int PRIMARY KEY);
        CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent (id));
        INSERT INTO parent VALUES (1), (2); INSERT INTO child VALUES (1, 1); })" +
                                          sessions);
    return cycles_text(observe(scenario, names).history, Unit::session);
  };
  // Children first, and another one comes.
  EXPECT_EQ(cycles(R"(
session s1
step c { BEGIN; DELETE FROM child WHERE parent = 1; }
step p { DELETE FROM parent WHERE id = 1; }
step e { COMMIT; }
session s2
step i { INSERT INTO child VALUES (2, 1); }
)",
                   "c i p e"),
            "phantom: s1 -rw child(id=2) in \"parent = 1\"-> s2 -wr child(id=2)-> s1\n");
  // The parent was there, and is gone.
  EXPECT_EQ(cycles(R"(
session s1
step l { BEGIN; SELECT * FROM parent WHERE id = 2; }
step i { INSERT INTO child VALUES (2, 2); }
step e { COMMIT; }
session s2
step d { DELETE FROM parent WHERE id = 2; }
)",
                   "l d i e"),
            "non-repeatable read: s1 -rw parent(id=2)-> s2 -wr parent(id=2) in "
            "\"(\"id\" = (2))\"-> s1\n");
}

// PostgreSQL looks again at the rows that it had found before it waited, and at no others.
TEST(Observer, a_write_that_waited_found_no_new_rows) {
  const std::string sessions = R"(
session s1
step lock { BEGIN; SELECT * FROM account WHERE id = 1 FOR UPDATE; }
step more { UPDATE account SET balance = 200 WHERE id = 2; }
step c1 { COMMIT; }
session s2
step all { BEGIN; DELETE FROM account WHERE balance > 150 OR id = 1; }
step look { SELECT * FROM account WHERE id = 2; }
step c2 { COMMIT; }
)";
  EXPECT_THAT(cycles_of(sessions, "lock all more c1 look c2"),
              testing::StartsWith("phantom: s1 -wr account(id=2)-> s2 -rw account(id=2) in "
                                  "\"balance > 150 OR id = 1\"-> s1\n"));
}

TEST(Observer, who_changes_nothing_has_deleted_nothing) {
  const Scenario scenario = accounts_with(R"(
session s1
step d { BEGIN; DELETE FROM account WHERE id = 1; }
step c { COMMIT; }
session s2
step u { UPDATE account SET balance = 1 WHERE id = 1; }
)");
  const ObservedRun observed = observe(scenario, "d u c");
  const History& history = observed.history;
  ASSERT_FALSE(history.versions.back().value);
  EXPECT_EQ(version_text(history, VersionId(history.versions.size() - 1)),
            "account(id=1) gone by s1");
}

TEST(Observer, all_kinds_of_tables) {
  const Scenario scenario = scenario_of(R"(
setup {
  CREATE SCHEMA "Shop";
  CREATE TABLE "Shop"."Order" ("Order Id" int, "Item" text, PRIMARY KEY ("Order Id", "Item"));
  INSERT INTO "Shop"."Order" VALUES (1, 'it''s');
  CREATE TABLE keyless (a int); INSERT INTO keyless VALUES (1), (1);
  CREATE TABLE part (k int PRIMARY KEY, v int) PARTITION BY RANGE (k);
  CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
  INSERT INTO part VALUES (1, 1);
}
session s1
step o { UPDATE "Shop"."Order" SET "Item" = 'x' WHERE "Order Id" = 1; }
step k { DELETE FROM keyless WHERE ctid = '(0,1)'; }
step p { UPDATE part SET v = 2 WHERE k = 1; }
)");
  std::vector<std::string> rows;
  const ObservedRun observed = observe(scenario, "o k p");
  for (const RowName& row : observed.history.rows) rows.push_back(to_string(row));
  EXPECT_THAT(rows, testing::UnorderedElementsAre("Shop.Order(Order Id=1,Item=it's)",
                                                  "Shop.Order(Order Id=1,Item=x)", "keyless((1))",
                                                  "keyless((1)#2)", "part_1(k=1)"));
}

// Whatever the run itself makes is not watched; what was there before is, up to the last question.
TEST(Observer, a_table_that_a_step_makes) {
  const Scenario scenario = scenario_of(R"(
setup { CREATE TABLE account (balance int); INSERT INTO account VALUES (100); }
session s1
step r1 { SELECT balance FROM account WHERE balance > 0; }
step w1 { UPDATE account SET balance = 110; }
session s2
step r2 { SELECT balance FROM account; }
step w2 { UPDATE account SET balance = 120; }
session s3
step make { CREATE TABLE made (i int); INSERT INTO made VALUES (1); }
step many { CREATE TABLE a1 (i int); CREATE TABLE a2 (i int); CREATE TABLE a3 (i int); }
)");
  const auto runner = runner_for(scenario);
  for (int round = 0; round < 2; ++round) {
    const ObservedRun observed = observe(*runner, scenario, "r1 r2 w2 make many w1");
    EXPECT_EQ(observed.run.end, RunEnd::complete);
    EXPECT_EQ(observed.run.tables.size(), 5U);
    for (const RowName& row : observed.history.rows) EXPECT_EQ(row.table, "account");
    EXPECT_THAT(cycles_text(observed.history, Unit::session), testing::HasSubstr("account"));
  }
}

// In SQLite plain reads wait, too, for whoever commits or keeps everybody out.
TEST(Observer, a_read_that_waited_saw_what_it_waited_for) {
  const auto server = must(open_server({"sqlite"}));
  const Scenario scenario = accounts_with(R"(
session w
step w1 { BEGIN EXCLUSIVE; UPDATE account SET balance = 7 WHERE id = 1 }
step w2 { COMMIT }
session r
step r1 { SELECT balance FROM account WHERE id = 1 }
session t
step t1 { BEGIN; SELECT balance FROM account WHERE id = 1 }
step t2 { SELECT balance FROM account WHERE id = 1; COMMIT }
)");
  const auto runner = must(Runner::create(scenario, *server, {std::nullopt, 30'000}));
  const ObservedRun observed = observe(*runner, scenario, "w1 r1 t1 w2 t2");
  EXPECT_EQ(history_text(scenario, observed),
            "w committed\n"
            "  w1 read account(id=1) (1,100) by start\n"
            "  w1 predicate-read account where id = 1: 2 visible, 2 matching\n"
            "  w1 write account(id=1) (1,7) by w\n"
            "r committed\n"
            "  r1 read account(id=1) (1,7) by w\n"
            "  r1 predicate-read account where id = 1: 2 visible, 2 matching\n"
            "t committed\n"
            "  t1 read account(id=1) (1,7) by w\n"
            "  t1 predicate-read account where id = 1: 2 visible, 2 matching\n"
            "  t2 read account(id=1) (1,7) by w\n"
            "  t2 predicate-read account where id = 1: 2 visible, 2 matching\n");
}

}  // namespace
}  // namespace heddle

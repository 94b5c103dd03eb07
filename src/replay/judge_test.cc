// The oracle against a slower one: the judge's serial orders run on the runner's own sessions and
// database; here each order runs statement by statement on one connection, in a table made for it,
// and the texts of what was read and left are compared.
#include "replay/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/interrupt.h"
#include "replay/isolationtester_runner.h"
#include "replay/random_scenario_testing.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;

// What each step of the sessions that were not ended showed, and the final rows.
std::string shown_by(const Scenario& scenario, const Run& run) {
  std::map<StepId, std::string> shown;
  for (const StepRecord& record : run.records) {
    const SessionId session = scenario.steps[record.step.index()].session;
    if (std::find(run.aborted.begin(), run.aborted.end(), session) != run.aborted.end()) continue;
    shown[record.step] = replies_text(record.replies);
  }
  std::string text;
  for (const auto& [step, replies] : shown) text += replies + "\n";
  return text + rows_text(run.tables.at(0).rows);
}

class SlowJudge {
 public:
  explicit SlowJudge(const Scenario& scenario)
      : scenario_(scenario), database_(must(shared_server().create_database(""))) {}

  bool is_anomalous(const Run& run) {
    std::vector<std::size_t> sessions;
    for (std::size_t i = 0; i < scenario_.sessions.size(); ++i) {
      if (std::find(run.aborted.begin(), run.aborted.end(), SessionId(i)) == run.aborted.end()) {
        sessions.push_back(i);
      }
    }
    return !outcomes_of(sessions).contains(shown_by(scenario_, run));
  }

 private:
  const std::set<std::string>& outcomes_of(std::vector<std::size_t> sessions) {
    const std::vector<std::size_t> key = sessions;
    const auto [entry, is_new] = outcomes_.try_emplace(key);
    if (is_new) {
      do {
        entry->second.insert(outcome_of_order(sessions));
      } while (std::next_permutation(sessions.begin(), sessions.end()));
    }
    return entry->second;
  }

  std::string outcome_of_order(const std::vector<std::size_t>& sessions) {
    (void)must(database_->execute(scenario_.setups.at(0).text, 30'000));
    std::map<StepId, std::string> shown;
    for (const std::size_t session : sessions) {
      for (const StepId step : scenario_.sessions[session].steps) {
        shown[step] =
            replies_text(must(database_->execute(scenario_.steps[step.index()].sql.text, 30'000)));
      }
    }
    std::string text;
    for (const auto& [step, replies] : shown) text += replies + "\n";
    const auto rows = must(database_->execute("SELECT * FROM account ORDER BY id", 30'000));
    (void)must(database_->execute("DROP TABLE account", 30'000));
    return text + rows_text(rows.at(0).result->rows);
  }

  const Scenario& scenario_;
  std::unique_ptr<StoreDatabase> database_;
  std::map<std::vector<std::size_t>, std::set<std::string>> outcomes_;
};

struct Agreement {
  std::size_t runs = 0;
  std::size_t anomalous = 0;  // as the slow judge says
  std::size_t aborted = 0;    // runs with an ended session
  std::vector<std::string> disagreements;
};

// Judges what every permutation on `runner` gives by the serial orders on `judging`.
void compare_judges(const Scenario& scenario, Runner& runner, Runner& judging,
                    Agreement& agreement) {
  Judge judge(scenario, judging);
  SlowJudge slow(scenario);
  for_each_permutation(scenario, [&](const Schedule& schedule) {
    const auto run = must(runner.run_interleaved(scripts_of(scenario), follow(scenario, schedule)));
    const bool anomalous = must(judge.judge(run, Unit::session)).anomalous;
    const bool expected = slow.is_anomalous(run);
    ++agreement.runs;
    agreement.anomalous += expected ? 1 : 0;
    agreement.aborted += run.aborted.empty() ? 0 : 1;
    if (anomalous != expected) {
      agreement.disagreements.push_back(to_spec(scenario) + to_string(scenario, run.planned));
    }
    return true;
  });
}

TEST(JudgeOracle, agrees_with_a_slower_judge) {
  Agreement agreement;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Scenario scenario = scenario_of(RandomScenario(seed).text());
    const auto runner = runner_for(scenario);
    compare_judges(scenario, *runner, *runner, agreement);
  }
  EXPECT_THAT(agreement.disagreements, ElementsAre());
  EXPECT_GT(agreement.anomalous, agreement.runs / 20) << "there must be something to find";
  EXPECT_LT(agreement.anomalous, agreement.runs * 19 / 20);
  EXPECT_GT(agreement.aborted, 0U);
}

// A judge whose serial orders begin with other rows must be caught by the comparison.
TEST(JudgeOracle, the_comparison_notices_a_wrong_judge) {
  Agreement agreement;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    std::string text = RandomScenario(seed).text();
    const Scenario scenario = scenario_of(text);
    text.replace(text.find("(1, 100)"), 8, "(1, 101)");
    const Scenario other_rows = scenario_of(text);
    compare_judges(scenario, *runner_for(scenario), *runner_for(other_rows), agreement);
  }
  EXPECT_GT(agreement.disagreements.size(), 0U);
}

// What PostgreSQL promises: at serializable the transactions that commit have a serial order.
TEST(JudgeOracle, serializable_transactions_are_never_anomalous) {
  std::size_t aborted = 0;
  for (std::uint64_t seed = 100; seed < 112; ++seed) {
    const Scenario scenario = scenario_of(RandomScenario(seed).text());
    const auto runner = runner_for(scenario, IsolationLevel::serializable);
    Judge judge(scenario, *runner);
    for_each_permutation(scenario, [&](const Schedule& schedule) {
      const auto run =
          must(runner->run_interleaved(scripts_of(scenario), follow(scenario, schedule)));
      const Judgement judgement = must(judge.judge(run, Unit::transaction));
      EXPECT_FALSE(judgement.anomalous) << to_spec(scenario) << to_string(scenario, run.planned);
      EXPECT_FALSE(judgement.undecided);
      aborted += run.aborted.empty() ? 0 : 1;
      return true;
    });
  }
  EXPECT_GT(aborted, 0U);
}

Judgement judgement_of(const Scenario& scenario, const std::string& schedule,
                       Unit unit = Unit::session) {
  const auto runner = runner_for(scenario);
  Judge judge(scenario, *runner);
  return must(judge.judge(run_schedule(*runner, scenario, schedule), unit));
}

TEST(Judge, a_lost_update_is_internal_and_says_how_it_differs) {
  const Scenario scenario = accounts_with(R"(
session s1
step r1 { SELECT balance FROM account WHERE id = 1 \gset }
step w1 { UPDATE account SET balance = :balance + 10 WHERE id = 1; }
session s2
step r2 { SELECT balance FROM account WHERE id = 1 \gset }
step w2 { UPDATE account SET balance = :balance + 20 WHERE id = 1; }
)");
  const Judgement judgement = judgement_of(scenario, "r1 r2 w1 w2");
  EXPECT_TRUE(judgement.anomalous);
  EXPECT_EQ(judgement.effect, Effect::internal);
  ASSERT_EQ(judgement.serial.size(), 2U);
  for (const SerialComparison& serial : judgement.serial) {
    EXPECT_EQ(serial.order.size(), 2U);
    EXPECT_THAT(serial.differences, testing::Not(testing::IsEmpty()));
  }
  EXPECT_FALSE(judgement_of(scenario, "r1 w1 r2 w2").anomalous);
}

TEST(Judge, a_wrong_read_alone_is_external) {
  const Scenario scenario = accounts_with(R"(
session s1
setup { BEGIN; }
step r1 { SELECT balance FROM account WHERE id = 1; }
step q1 { SELECT balance FROM account WHERE id = 2; }
step c1 { COMMIT; }
session s2
step w2 { BEGIN; UPDATE account SET balance = balance - 5 WHERE id = 1;
          UPDATE account SET balance = balance + 5 WHERE id = 2; COMMIT; }
)");
  const Judgement judgement = judgement_of(scenario, "r1 w2 q1 c1");
  EXPECT_TRUE(judgement.anomalous);
  EXPECT_EQ(judgement.effect, Effect::external);
  EXPECT_FALSE(judgement.boundary_problem);
}

// The one that is left is judged by itself.
TEST(Judge, a_session_ended_by_deadlock_is_removed) {
  const Scenario scenario = accounts_with(R"(
session s1
step a1 { BEGIN; UPDATE account SET balance = balance + 1 WHERE id = 1; }
step a2 { UPDATE account SET balance = balance + 1 WHERE id = 2; }
step ac { COMMIT; }
session s2
step b2 { BEGIN; UPDATE account SET balance = balance * 2 WHERE id = 2; }
step b1 { UPDATE account SET balance = balance * 2 WHERE id = 1; }
step bc { COMMIT; }
)");
  const auto runner = runner_for(scenario);
  Judge judge(scenario, *runner);
  const auto run = run_schedule(*runner, scenario, "a1 b2 a2 b1 ac bc");
  ASSERT_THAT(run.aborted, ElementsAre(SessionId(1)));
  const Judgement judgement = must(judge.judge(run, Unit::session));
  EXPECT_FALSE(judgement.anomalous);
  EXPECT_FALSE(judgement.undecided);
  EXPECT_EQ(judge.serial_orders(), 1U);
}

// What a session had committed before it was ended has happened: without it the rest is wrong.
TEST(Judge, an_ended_session_that_had_committed_before) {
  const Scenario scenario = accounts_with(R"(
session s1
step a0 { UPDATE account SET balance = 7 WHERE id = 1; }
step a1 { BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT balance FROM account WHERE id = 2; }
step a2 { UPDATE account SET balance = 8 WHERE id = 2; }
session s2
step b { UPDATE account SET balance = 9 WHERE id = 2; }
)");
  EXPECT_FALSE(judgement_of(scenario, "a0 a1 b a2", Unit::transaction).anomalous);
  EXPECT_TRUE(judgement_of(scenario, "a0 a1 b a2", Unit::session).anomalous)
      << "half of the user's action is there";
}

TEST(Judge, other_errors_are_part_of_the_outcome) {
  const Scenario scenario = scenario_of(R"(
setup { CREATE TABLE name (n text PRIMARY KEY); }
session s1
step r1 { SELECT count(*) = 0 AS free FROM name WHERE n = 'x' \gset }
step w1 {
  \if :free
    INSERT INTO name VALUES ('x');
  \endif
}
session s2
step r2 { SELECT count(*) = 0 AS free FROM name WHERE n = 'x' \gset }
step w2 {
  \if :free
    INSERT INTO name VALUES ('x');
  \endif
}
)");
  const Judgement judgement = judgement_of(scenario, "r1 r2 w1 w2");
  EXPECT_TRUE(judgement.anomalous) << "in no serial order is there a unique violation";
  EXPECT_EQ(judgement.effect, Effect::external);
  const Scenario always = scenario_of(R"(
setup { CREATE TABLE name (n text PRIMARY KEY); }
session s1
step w1 { INSERT INTO name VALUES ('x'); }
step x1 { SELECT 1; }
session s2
step w2 { INSERT INTO name VALUES ('x'); }
)");
  EXPECT_FALSE(judgement_of(always, "w1 w2 x1").anomalous) << "one of the two always fails";
}

constexpr const char* kBoundary = R"(
session s1
step r1 { SELECT balance FROM account WHERE id = 1 \gset }
step w1 { UPDATE account SET balance = :balance + 10 WHERE id = 1; }
session s2
step w2 { UPDATE account SET balance = balance + 20 WHERE id = 1; }
)";

TEST(Judge, what_exists_only_between_sessions_is_a_boundary_problem) {
  const Scenario scenario = accounts_with(kBoundary);
  const Judgement sessions = judgement_of(scenario, "r1 w2 w1");
  EXPECT_TRUE(sessions.anomalous);
  EXPECT_TRUE(sessions.boundary_problem);
  EXPECT_FALSE(judgement_of(scenario, "r1 w2 w1", Unit::transaction).anomalous);
}

TEST(Judge, a_transaction_that_spans_the_session_is_no_boundary_problem) {
  std::string text(kBoundary);
  text.replace(text.find("step r1 { "), 10, "step r1 { BEGIN; ");
  text.replace(text.find("id = 1; }\nsession s2"), 9, "id = 1; COMMIT; }");
  const Scenario scenario = accounts_with(text);
  const Judgement judgement = judgement_of(scenario, "r1 w2 w1");
  EXPECT_TRUE(judgement.anomalous);
  EXPECT_FALSE(judgement.boundary_problem);
  EXPECT_TRUE(judgement_of(scenario, "r1 w2 w1", Unit::transaction).anomalous);
}

TEST(Judge, values_made_by_the_store_are_compared_up_to_renaming) {
  const Scenario scenario = scenario_of(R"(
setup {
  CREATE TABLE orders (id serial PRIMARY KEY, token uuid DEFAULT gen_random_uuid(),
                       made timestamptz DEFAULT clock_timestamp(), who text);
  CREATE TABLE line (orders int REFERENCES orders, what text);
  CREATE TABLE event (at timestamptz, what text);
}
session s1
step o1 { INSERT INTO orders (who) VALUES ('ann') RETURNING id \gset }
step l1 { INSERT INTO line VALUES (:id, 'lamp'); INSERT INTO event VALUES (now(), 'ann'); }
step r1 { SELECT id, token, made FROM orders WHERE who = 'ann'; }
session s2
step o2 { INSERT INTO orders (who) VALUES ('bob') RETURNING id \gset }
step l2 { INSERT INTO line VALUES (:id, 'lamp'); INSERT INTO event VALUES (now(), 'bob'); }
)");
  const auto runner = runner_for(scenario);
  Judge judge(scenario, *runner);
  for_each_permutation(scenario, [&](const Schedule& schedule) {
    const auto run =
        must(runner->run_interleaved(scripts_of(scenario), follow(scenario, schedule)));
    EXPECT_FALSE(must(judge.judge(run, Unit::session)).anomalous) << to_string(scenario, schedule);
    return true;
  });
}

TEST(Judge, keys_computed_by_the_program_are_compared_as_they_are) {
  const Scenario scenario = scenario_of(R"(
setup { CREATE TABLE orders (id int, who text); }
session s1
step m1 { SELECT coalesce(max(id), 0) + 1 AS next FROM orders \gset }
step i1 { INSERT INTO orders VALUES (:next, 'ann'); }
session s2
step m2 { SELECT coalesce(max(id), 0) + 1 AS next FROM orders \gset }
step i2 { INSERT INTO orders VALUES (:next, 'bob'); }
)");
  EXPECT_TRUE(judgement_of(scenario, "m1 m2 i1 i2").anomalous) << "both have number 1";
  EXPECT_FALSE(judgement_of(scenario, "m1 i1 m2 i2").anomalous);
}

TEST(Judge, broken_invariants_are_told_whether_or_not_a_serial_order_breaks_them) {
  const std::string sessions = R"(
session s1
step w1 { UPDATE account SET balance = balance - 80 WHERE id = 1; }
session s2
step w2 { UPDATE account SET balance = balance - 80 WHERE id = 1; }
)";
  const Scenario scenario =
      scenario_of("invariant \"covered\" { SELECT balance >= 0 FROM account }\n" +
                  std::string(kAccounts) + sessions);
  const Judgement judgement = judgement_of(scenario, "w1 w2");
  EXPECT_FALSE(judgement.anomalous);
  EXPECT_THAT(judgement.broken_invariants, ElementsAre("covered"));
}

TEST(Judge, orders_that_were_not_run_leave_the_verdict_open) {
  std::string sessions;
  for (int i = 1; i <= 8; ++i) {
    sessions += fmt::format(
        "session s{0}\nstep r{0} {{ SELECT balance FROM account WHERE id = 1 \\gset }}\n"
        "step w{0} {{ UPDATE account SET balance = :balance + 1 WHERE id = 1; }}\n",
        i);
  }
  const Judgement judgement =
      judgement_of(accounts_with(sessions), "r1 r2 w1 w2 r3 w3 r4 w4 r5 w5 r6 w6 r7 w7 r8 w8");
  EXPECT_FALSE(judgement.anomalous);
  EXPECT_TRUE(judgement.undecided);
}

TEST(Judge, sessions_that_only_read_are_judged_too) {
  const Scenario scenario = accounts_with(R"(
session s1
step r1 { SELECT balance FROM account WHERE id = 1; }
step q1 { SELECT balance FROM account WHERE id = 1; }
session s2
step r2 { SELECT balance FROM account WHERE id = 1; }
session s3
step w3 { UPDATE account SET balance = 0 WHERE id = 1; }
)");
  EXPECT_FALSE(judgement_of(scenario, "r1 r2 q1 w3").anomalous);
  const Judgement judgement = judgement_of(scenario, "r1 w3 q1 r2");
  EXPECT_TRUE(judgement.anomalous);
  EXPECT_TRUE(judgement.boundary_problem);
  EXPECT_EQ(judgement.serial.size(), 6U);
}

constexpr const char* kOrder = R"(
setup { CREATE TABLE t (a int, id serial); }
session s1
step i1 { INSERT INTO t VALUES (1); }
step j1 { INSERT INTO t VALUES (2); }
session s2
step i2 { INSERT INTO t VALUES (3); }
session s3
step r { SELECT a FROM t; }
)";

Judgement judgement_of_reading(const std::string& query, const std::string& schedule) {
  std::string text(kOrder);
  text.replace(text.find("SELECT a FROM t;"), 16, query);
  return judgement_of(scenario_of(text), schedule);
}

// The rows come as 1 3 2: as a multiset they are those of s1 then s2, in that order no order's.
TEST(Judge, order_counts_only_where_it_was_asked_for) {
  EXPECT_FALSE(judgement_of_reading("SELECT a FROM t", "i1 i2 j1 r").anomalous);
  EXPECT_TRUE(judgement_of_reading("SELECT a FROM t ORDER BY ctid", "i1 i2 j1 r").anomalous);
  EXPECT_FALSE(judgement_of_reading("SELECT a FROM t ORDER BY ctid", "i1 j1 i2 r").anomalous);
  EXPECT_FALSE(judgement_of_reading("SELECT a FROM t ORDER BY a", "i1 i2 j1 r").anomalous);
  EXPECT_FALSE(judgement_of_reading("SELECT a FROM (SELECT a FROM t ORDER BY ctid) x", "i1 i2 j1 r")
                   .anomalous)
      << "only the order of the outermost query";
}

TEST(Judge, the_order_of_generated_values_means_nothing) {
  EXPECT_FALSE(judgement_of_reading("SELECT a FROM t ORDER BY id", "i1 i2 j1 r").anomalous);
  EXPECT_FALSE(judgement_of_reading("SELECT * FROM t ORDER BY 2", "i1 i2 j1 r").anomalous);
}

// An interrupt is not taken for a serial order that does not complete; with time left, it is
// judged.
TEST(Judge, interrupted_before_the_serial_orders_were_run) {
  const Scenario scenario = accounts_with(R"(
session s1
step r1 { SELECT balance FROM account WHERE id = 1; }
step w1 { UPDATE account SET balance = 1 WHERE id = 1; }
session s2
step w2 { UPDATE account SET balance = 2 WHERE id = 1; }
)");
  const auto runner = runner_for(scenario);
  const heddle::Run run = run_schedule(*runner, scenario, "r1 w2 w1");
  Judge judge(scenario, *runner);
  raise_interrupt();
  const auto refused = judge.judge(run, Unit::session);
  EXPECT_FALSE(refused);
  {
    const InterruptGrace grace(kJudgingGraceMs);
    EXPECT_FALSE(must(judge.judge(run, Unit::session)).undecided);
  }
  clear_interrupt();
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().trouble, Trouble::interrupted);
}

}  // namespace
}  // namespace heddle

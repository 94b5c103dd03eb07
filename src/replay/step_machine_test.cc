// Steps on a real server: what completes, what waits for whom, how psql's commands flow, and how a
// step ends that does not return.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;

std::string text_of_run(const Scenario& scenario, const std::string& schedule) {
  return text_of(scenario, run_schedule(*runner_for(scenario), scenario, schedule));
}

// What one session without tables gives.
std::string text_of_steps(const std::string& steps, const std::string& schedule) {
  return text_of_run(scenario_of("session s1\n" + steps), schedule);
}

TEST(StepMachine, a_step_that_waits_says_for_whom) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; }
step w1 { UPDATE account SET balance = balance + 1 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step w2 { UPDATE account SET balance = balance * 2 WHERE id = 1 RETURNING balance; }
)");
  EXPECT_EQ(text_of_run(scenario, "b1 w1 w2 c1"),
            "b1: BEGIN\n"
            "w1: UPDATE 1\n"
            "w2 waits for s1: (202)\n"
            "c1: COMMIT\n"
            "account (1, 202) (2, 100)\n");
  EXPECT_EQ(text_of_run(scenario, "b1 w2 w1 c1"),
            "b1: BEGIN\n"
            "w2: (200)\n"
            "w1: UPDATE 1\n"
            "c1: COMMIT\n"
            "account (1, 201) (2, 100)\n");
}

// On different rows: which of two that wait for one row gets it first, the server decides.
TEST(StepMachine, waits_in_a_row_are_reported_one_by_one) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step b2 { BEGIN; UPDATE account SET balance = 2 WHERE id = 2; }
step w2 { UPDATE account SET balance = balance + 20 WHERE id = 1; }
step c2 { COMMIT; }
session s3
step w3 { UPDATE account SET balance = balance + 30 WHERE id = 2; }
)");
  EXPECT_EQ(text_of_run(scenario, "b1 b2 w2 w3 c1 c2"),
            "b1: BEGIN; UPDATE 1\n"
            "b2: BEGIN; UPDATE 1\n"
            "w2 waits for s1: UPDATE 1\n"
            "w3 waits for s2: UPDATE 1\n"
            "c1: COMMIT\n"
            "c2: COMMIT\n"
            "account (1, 21) (2, 32)\n");
}

// The one that waits longer waits for the other, which has its answer, and does not end yet.
TEST(StepMachine, a_session_that_has_waited_itself_is_waited_for) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step b2 { BEGIN; UPDATE account SET balance = 2 WHERE id = 2; }
step w2 { UPDATE account SET balance = balance + 20 WHERE id = 1; }
step c2 { COMMIT; }
session s3
step w3 { UPDATE account SET balance = balance + 30 WHERE id = 2; }
)");
  EXPECT_EQ(text_of_run(scenario, "b1 b2 w3 w2 c1 c2"),
            "b1: BEGIN; UPDATE 1\n"
            "b2: BEGIN; UPDATE 1\n"
            "w3 waits for s2: UPDATE 1\n"
            "w2 waits for s1: UPDATE 1\n"
            "c1: COMMIT\n"
            "c2: COMMIT\n"
            "account (1, 21) (2, 32)\n");
}

// Launches and completions count on one clock, so that the order of both is known.
TEST(StepMachine, the_order_of_launches_and_completions) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1; }
step c1 { COMMIT; }
session s2
step w2 { UPDATE account SET balance = 2; }
)");
  const auto run = run_schedule(*runner_for(scenario), scenario, "b1 w2 c1");
  ASSERT_EQ(run.records.size(), 3U);
  std::vector<std::pair<std::size_t, std::size_t>> times;
  for (const StepRecord& record : run.records)
    times.emplace_back(record.launched, record.completed);
  EXPECT_THAT(times, ElementsAre(std::pair(1, 2), std::pair(3, 6), std::pair(4, 5)));
  std::vector<Event::Kind> kinds;
  for (const Event& event : run.events) kinds.push_back(event.kind);
  EXPECT_THAT(kinds, ElementsAre(Event::Kind::completed, Event::Kind::waiting,
                                 Event::Kind::completed, Event::Kind::late_completed));
}

// The session that closes the cycle is the victim, whatever the machine is busy with.
TEST(StepMachine, the_victim_of_a_deadlock_is_always_the_same) {
  const Scenario scenario = accounts_with(R"(
session s1
step a1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step a2 { UPDATE account SET balance = 1 WHERE id = 2; }
step ac { COMMIT; }
session s2
step b2 { BEGIN; UPDATE account SET balance = 2 WHERE id = 2; }
step b1 { UPDATE account SET balance = 2 WHERE id = 1; }
step bc { COMMIT; }
)");
  const auto runner = runner_for(scenario);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(text_of(scenario, run_schedule(*runner, scenario, "a1 b2 a2 b1 bc ac")),
              "a1: BEGIN; UPDATE 1\n"
              "b2: BEGIN; UPDATE 1\n"
              "a2 waits for s2: UPDATE 1\n"
              "b1: deadlock\n"
              "bc: skipped\n"
              "ac: COMMIT\n"
              "account (1, 1) (2, 1)\n");
    ASSERT_EQ(text_of(scenario, run_schedule(*runner, scenario, "a1 b2 b1 a2 ac bc")),
              "a1: BEGIN; UPDATE 1\n"
              "b2: BEGIN; UPDATE 1\n"
              "b1 waits for s1: UPDATE 1\n"
              "a2: deadlock\n"
              "ac: skipped\n"
              "bc: COMMIT\n"
              "account (1, 2) (2, 2)\n");
  }
}

TEST(StepMachine, a_deadlock_of_three) {
  const Scenario scenario = scenario_of(R"(
setup {
  CREATE TABLE account (id int PRIMARY KEY, balance int);
  INSERT INTO account VALUES (1, 100), (2, 100), (3, 100);
}
session s1
step a1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step a2 { UPDATE account SET balance = 1 WHERE id = 2; COMMIT; }
session s2
step b2 { BEGIN; UPDATE account SET balance = 2 WHERE id = 2; }
step b3 { UPDATE account SET balance = 2 WHERE id = 3; COMMIT; }
session s3
step c3 { BEGIN; UPDATE account SET balance = 3 WHERE id = 3; }
step c1 { UPDATE account SET balance = 3 WHERE id = 1; COMMIT; }
)");
  const auto runner = runner_for(scenario);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(text_of(scenario, run_schedule(*runner, scenario, "a1 b2 c3 a2 b3 c1")),
              "a1: BEGIN; UPDATE 1\n"
              "b2: BEGIN; UPDATE 1\n"
              "c3: BEGIN; UPDATE 1\n"
              "a2 waits for s2: UPDATE 1; COMMIT\n"
              "b3 waits for s3: UPDATE 1; COMMIT\n"
              "c1: deadlock\n"
              "account (1, 1) (2, 1) (3, 2)\n");
  }
}

TEST(StepMachine, sessions_the_store_ended_run_no_further_steps) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT balance FROM account WHERE id = 1; }
step w1 { UPDATE account SET balance = 1 WHERE id = 1; }
step x1 { ROLLBACK; }
step y1 { UPDATE account SET balance = 7 WHERE id = 2; }
session s2
step w2 { UPDATE account SET balance = 2 WHERE id = 1; }
session s3
step w3 { SET lock_timeout = '20ms'; UPDATE account SET balance = 3 WHERE id = 1; }
step y3 { SELECT 1; }
)");
  const auto run = run_schedule(*runner_for(scenario), scenario, "b1 w2 w1 x1 y1");
  EXPECT_EQ(text_of(scenario, run),
            "b1: BEGIN; (100)\n"
            "w2: UPDATE 1\n"
            "w1: serialization-failure\n"
            "x1: skipped\n"
            "y1: skipped\n"
            "account (1, 2) (2, 100)\n");
  EXPECT_THAT(run.aborted, ElementsAre(SessionId(0)));
}

TEST(StepMachine, a_lock_timeout_ends_the_session) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step p1 { SELECT FROM pg_sleep(0.3); }
step c1 { COMMIT; }
session s2
setup { SET lock_timeout = '20ms'; }
step w2 { UPDATE account SET balance = 3 WHERE id = 1; }
step y2 { SELECT 1; }
)");
  EXPECT_EQ(text_of_run(scenario, "b1 w2 p1 y2 c1"),
            "b1: BEGIN; UPDATE 1\n"
            "w2 waits for s1: lock-timeout\n"
            "p1: ()\n"
            "y2: skipped\n"
            "c1: COMMIT\n"
            "account (1, 1) (2, 100)\n");
}

// An error of the program is an outcome: its session goes on.
TEST(StepMachine, other_errors_do_not_end_the_session) {
  const Scenario scenario = accounts_with(R"(
session s1
step b { BEGIN; }
step twice { INSERT INTO account VALUES (1, 0); }
step again { SELECT 1; }
step e { ROLLBACK; }
step check { SELECT count(*) FROM account; }
)");
  EXPECT_EQ(text_of_run(scenario, "b twice again e check"),
            "b: BEGIN\n"
            "twice: ERROR 23505\n"
            "again: ERROR 25P02\n"
            "e: ROLLBACK\n"
            "check: (2)\n"
            "account (1, 100) (2, 100)\n");
}

TEST(StepMachine, gset_hands_values_to_later_steps_of_its_session_only) {
  EXPECT_EQ(text_of_run(scenario_of(R"(
session s1
step r1 { SELECT 5 AS x, 'it''s' AS "Y" \gset }
step u1 { SELECT :x + 1, :'Y', ':x'; }
step p1 { SELECT 7 AS x \gset pre_ }
step v1 { SELECT :x, :pre_x; }
session s2
step u2 { SELECT ':x'::text; }
)"),
                        "r1 u1 p1 v1 u2"),
            "r1: (5, it's)\n"
            "u1: (6, it's, :x)\n"
            "p1: (7)\n"
            "v1: (5, 7)\n"
            "u2: (:x)\n");
}

TEST(StepMachine, gset_wants_exactly_one_row) {
  EXPECT_EQ(text_of_steps(R"(
step none { SELECT 1 AS x WHERE false \gset
  SELECT 2; }
step two { SELECT generate_series(1, 2) AS x \gset }
step null { SELECT 3 AS x \gset
  SELECT NULL AS x \gset
  SELECT ':x'; }
step unset { SELECT ':x', 1 AS x \gset }
)",
                          "none two null unset"),
            "none: no rows; ERROR HV000\n"
            "two: (1) (2); ERROR HV000\n"
            "null: (3); (NULL); (:x)\n"
            "unset: (:x, 1)\n");
}

TEST(StepMachine, conditions_choose_one_branch) {
  const std::string steps = R"(
step set { SELECT 1 AS n, true AS yes, false AS no, 'off' AS off \gset }
step first {
  \if :yes
    SELECT 'if';
  \elif :yes
    SELECT 'elif';
  \else
    SELECT 'else';
  \endif
}
step second {
  \if :no
    SELECT 'if';
  \elif :n
    SELECT 'elif';
  \elif :yes
    SELECT 'second elif';
  \else
    SELECT 'else';
  \endif
}
step third {
  \if :off
    SELECT 'if';
  \elif 0
    SELECT 'elif';
  \else
    SELECT 'else';
  \endif
}
step nested {
  \if :no
    \if :yes
      SELECT 'no-yes';
    \else
      SELECT 'no-no';
    \endif
  \else
    SELECT 'before';
    \if :no
      SELECT 'yes-no';
    \elif :yes
      SELECT 'yes-yes';
    \endif
    SELECT 'after';
  \endif
}
step nothing {
  \if :no
    SELECT 1;
  \endif
}
)";
  EXPECT_EQ(text_of_steps(steps, "set first second third nested nothing"),
            "set: (1, t, f, off)\n"
            "first: (if)\n"
            "second: (elif)\n"
            "third: (else)\n"
            "nested: (before); (yes-yes); (after)\n"
            "nothing: \n");
}

TEST(StepMachine, a_condition_that_is_no_truth_names_its_place) {
  const Scenario scenario = scenario_of(
      "session s1\nstep a { SELECT 'maybe' AS x \\gset }\n"
      "step b {\n  \\if :x\n    SELECT 1;\n  \\endif\n}\n");
  const auto run = run_schedule(*runner_for(scenario), scenario, "a b");
  EXPECT_EQ(run.end, RunEnd::setup_failed);
  EXPECT_THAT(run.trouble, testing::MatchesRegex("test.spec:4:.*maybe.*"));
}

TEST(StepMachine, a_later_query_of_a_step_may_wait) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 50 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step move {
  SELECT balance AS before FROM account WHERE id = 1 \gset
  UPDATE account SET balance = balance + :before WHERE id = 1;
  SELECT balance FROM account WHERE id = 1 \gset
}
step use { SELECT :before, :balance; }
)");
  EXPECT_EQ(text_of_run(scenario, "b1 move c1 use"),
            "b1: BEGIN; UPDATE 1\n"
            "move waits for s1: (100); UPDATE 1; (150)\n"
            "c1: COMMIT\n"
            "use: (100, 150)\n"
            "account (1, 150) (2, 100)\n");
}

TEST(StepMachine, an_error_ends_its_step_and_not_the_queries_before) {
  EXPECT_EQ(text_of_steps(R"(
step a {
  SELECT 1 AS x \gset
  SELECT 1/0 AS y \gset
  SELECT 3;
}
step b { SELECT ':y', :x; }
)",
                          "a b"),
            "a: (1); ERROR 22012\n"
            "b: (:y, 1)\n");
}

TEST(StepMachine, what_was_sent_is_recorded) {
  const Scenario scenario =
      scenario_of("session s1\nstep a { SELECT 4 AS x \\gset }\nstep b { SELECT :x; SELECT 5; }\n");
  const auto run = run_schedule(*runner_for(scenario), scenario, "a b");
  EXPECT_THAT(run.records.at(1).sent, ElementsAre("SELECT 4; SELECT 5;"));
}

TEST(StepMachine, notices_and_notifications_are_events) {
  const Scenario scenario = scenario_of(R"(
session s1
setup { LISTEN bell; }
step hear { SELECT 1; }
session s2
step say { DO $$ BEGIN RAISE NOTICE 'hello'; END $$; NOTIFY bell, 'ring'; }
)");
  const auto runner = runner_for(scenario);
  for (int i = 0; i < 2; ++i) {
    const auto run = run_schedule(*runner, scenario, "say hear");
    std::vector<std::string> texts;
    for (const Event& event : run.events) {
      if (!event.text.empty()) texts.push_back(event.text);
    }
    EXPECT_THAT(texts, ElementsAre("NOTICE:  hello\n",
                                   "s1: NOTIFY \"bell\" with payload \"ring\" from s2\n"));
  }
}

TEST(StepMachine, a_step_over_its_time_ends_the_run_and_not_the_runner) {
  const Scenario scenario = accounts_with(R"(
session s1
step sleep { BEGIN; UPDATE account SET balance = 0; SELECT pg_sleep(60); }
session s2
step w2 { UPDATE account SET balance = balance + 1; }
)");
  const auto runner = runner_for(scenario, std::nullopt, 300);
  for (int i = 0; i < 2; ++i) {
    const auto run = run_schedule(*runner, scenario, "sleep w2");
    EXPECT_EQ(run.end, RunEnd::timed_out);
    EXPECT_EQ(run.trouble, "step sleep did not return within 300 ms");
    EXPECT_EQ(text_of(scenario, run_schedule(*runner, scenario, "w2")),
              "w2: UPDATE 2\naccount (1, 101) (2, 101)\n");
  }
}

// Somebody outside the scenario's sessions has no say in who is blocked; the step is just slow.
TEST(StepMachine, a_step_that_waits_for_good_is_over_its_time) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
session s2
step w2 { UPDATE account SET balance = 2 WHERE id = 1; }
)");
  const auto runner = runner_for(scenario, std::nullopt, 300);
  const auto run = run_schedule(*runner, scenario, "b1 w2");
  EXPECT_EQ(text_of(scenario, run),
            "b1: BEGIN; UPDATE 1\n"
            "w2 waits for s1: never returns\n"
            "timed-out: step w2 did not return within 300 ms\n");
  EXPECT_EQ(text_of(scenario, run_schedule(*runner, scenario, "w2 b1")),
            "w2: UPDATE 1\nb1: BEGIN; UPDATE 1\naccount (1, 2) (2, 100)\n")
      << "what s1 had left open is undone";
}

TEST(StepMachine, many_rows) {
  const Scenario scenario = scenario_of(
      "session s1\nstep r { SELECT n, repeat('x', 100) FROM generate_series(1, 50000) n; }");
  const auto run = run_schedule(*runner_for(scenario), scenario, "r");
  ASSERT_EQ(run.records.at(0).replies.size(), 1U);
  const std::vector<Row>& rows = run.records[0].replies[0].result->rows;
  ASSERT_EQ(rows.size(), 50'000U);
  EXPECT_EQ(rows.back().at(0), "50000");
}

// Codes of PostgreSQL for trouble of its own, here raised by hand.
TEST(StepMachine, trouble_of_the_store_ends_the_run) {
  const Scenario scenario = accounts_with(R"(
session s1
step full { DO $$ BEGIN RAISE 'no room on the disk' USING ERRCODE = '53100'; END $$; }
step io { DO $$ BEGIN RAISE 'could not read' USING ERRCODE = '58030'; END $$; }
step torn { DO $$ BEGIN RAISE 'invalid page' USING ERRCODE = 'XX001'; END $$; }
step odd { DO $$ BEGIN RAISE 'tuple concurrently updated' USING ERRCODE = 'XX000'; END $$; }
session s2
step ended { SELECT pg_terminate_backend(pg_backend_pid()); }
step slow { SELECT pg_sleep(0.3); }
session s3
step limit { SET idle_in_transaction_session_timeout = '50ms'; }
step b3 { BEGIN; }
step r3 { SELECT 1; }
)");
  EXPECT_EQ(text_of_run(scenario, "full"),
            "full: never returns\nconnection-lost: step full failed: no room on the disk\n");
  EXPECT_EQ(text_of_run(scenario, "io"),
            "io: never returns\nconnection-lost: step io failed: could not read\n");
  EXPECT_EQ(text_of_run(scenario, "torn"),
            "torn: never returns\nconnection-lost: step torn failed: invalid page\n");
  EXPECT_EQ(text_of_run(scenario, "odd"), "odd: ERROR XX000\naccount (1, 100) (2, 100)\n");
  EXPECT_EQ(text_of_run(scenario, "ended"),
            "ended: never returns\n"
            "connection-lost: lost the connection to the server while step ended ran\n");
  EXPECT_THAT(
      text_of_run(scenario, "limit b3 slow r3"),
      testing::HasSubstr("connection-lost: lost the connection to the server while step r3 ran: "
                         "terminating connection due to idle-in-transaction timeout\n"));
}

}  // namespace
}  // namespace heddle

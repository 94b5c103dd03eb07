// Permutations as isolationtester runs them.
#include "explore/permutations.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kEventWords[] = {
    "setup",  "waiting",   "done",         "done late",       "notice",
    "notify", "cancelled", "setup failed", "teardown result", "teardown failed"};

std::string event_text(const Scenario& scenario, const Run& run, const Event& event) {
  std::string text(kEventWords[static_cast<std::size_t>(event.kind)]);
  switch (event.kind) {
    case Event::Kind::waiting:
      return scenario.steps[run.records[event.record].step.index()].name + " waiting";
    case Event::Kind::completed:
    case Event::Kind::late_completed:
      return fmt::format("{} {}: {}", scenario.steps[run.records[event.record].step.index()].name,
                         text, replies_text(run.records[event.record].replies));
    case Event::Kind::setup_result:
    case Event::Kind::teardown_result:
      return text + ": " + replies_text(event.replies);
    default:
      return text + ": " + std::string(trim(event.text));
  }
}

// One line per permutation.
std::string line_of(const Scenario& scenario, const Run& run) {
  std::vector<std::string> events;
  for (const Event& event : run.events) events.push_back(event_text(scenario, run, event));
  return to_string(scenario, run.planned) + " | " + join(events, ", ") +
         (run.end == RunEnd::complete ? "" : " | " + std::string(to_string(run.end)));
}

struct Lines {
  std::map<std::size_t, std::vector<std::string>> of_file;
  std::vector<std::size_t> files;  // in the order of arrival
  PermutationsReport report;
};

Lines run_all(const std::vector<Scenario>& scenarios, std::uint32_t jobs = 1,
              std::uint32_t step_timeout_ms = 30'000, bool is_eager = false) {
  (void)shared_server();  // all tests share it
  PermutationOptions options;
  options.jobs = jobs;
  options.step_timeout_ms = step_timeout_ms;
  options.is_eager = is_eager;
  Lines lines;
  lines.report = must(run_permutations(scenarios, options, [&](std::size_t file, const Run& run) {
    lines.of_file[file].push_back(line_of(scenarios[file], run));
    lines.files.push_back(file);
    return true;
  }));
  return lines;
}

std::vector<std::string> lines_of(const Scenario& scenario) {
  return run_all({scenario}).of_file[0];
}

TEST(Permutations, all_in_order_where_none_are_named) {
  EXPECT_THAT(lines_of(accounts_with(R"(
session s1
step a { SELECT balance FROM account WHERE id = 1; }
session s2
step b { UPDATE account SET balance = 1; }
step c { SELECT sum(balance) FROM account; }
)")),
              ElementsAre("a b c | a done: (100), b done: UPDATE 2, c done: (2)",
                          "b a c | b done: UPDATE 2, a done: (1), c done: (2)",
                          "b c a | b done: UPDATE 2, c done: (2), a done: (1)"));
}

TEST(Permutations, blocked_steps_are_waited_for_where_their_session_goes_on) {
  const std::string sessions = R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step w2 { UPDATE account SET balance = 2 WHERE id = 1; }
step x2 { SELECT 5; }
)";
  EXPECT_THAT(
      lines_of(accounts_with(sessions + "permutation b1 w2 c1 x2\npermutation x2 b1 c1 w2\n")),
      ElementsAre("b1 w2 c1 x2 | b1 done: BEGIN; UPDATE 1, w2 waiting, c1 done: COMMIT, "
                  "w2 done late: UPDATE 1, x2 done: (5)",
                  "x2 b1 c1 w2 | x2 done: (5), b1 done: BEGIN; UPDATE 1, c1 done: COMMIT, "
                  "w2 done: UPDATE 1"));
}

TEST(Permutations, markers_delay_reports) {
  EXPECT_THAT(lines_of(scenario_of(R"(
session s1
step a { DO $$ BEGIN RAISE NOTICE 'one'; END $$; }
session s2
step b { SELECT 2; }
session s3
step c { SELECT pg_sleep(0.02); DO $$ BEGIN RAISE NOTICE 'two'; END $$; }
permutation b(*) a c
permutation c(*) b(c) a
permutation b(a notices 1) a c
)")),
              ElementsAre("b(*) a c | b waiting, notice: NOTICE:  one, a done: DO, "
                          "b done late: (2), notice: NOTICE:  two, c done: (); DO",
                          "c(*) b(c) a | c waiting, b waiting, notice: NOTICE:  two, "
                          "c done late: (); DO, notice: NOTICE:  one, a done: DO, b done late: (2)",
                          "b(a notices 1) a c | b waiting, notice: NOTICE:  one, a done: DO, "
                          "b done late: (2), notice: NOTICE:  two, c done: (); DO"));
}

TEST(Permutations, sessions_live_through_a_file_and_setups_run_each_time) {
  EXPECT_THAT(lines_of(scenario_of(R"(
setup { CREATE TABLE t (a int); }
setup { SELECT 'second' AS setup; }
teardown { DROP TABLE t; SELECT 'teardown'; }
session s1
setup { SELECT 'of s1'; }
step a { SET work_mem = '77kB'; INSERT INTO t VALUES (1); }
teardown { SELECT 'end of s1'; }
session s2
step b { SHOW work_mem; SELECT count(*) FROM t; }
permutation b a
permutation a b
)")),
              ElementsAre("b a | setup: (second), setup: (of s1), "
                          "b done: (4MB); (0), a done: SET; INSERT 0 1, "
                          "teardown result: (end of s1), teardown result: (teardown)",
                          "a b | setup: (second), setup: (of s1), "
                          "a done: SET; INSERT 0 1, b done: (4MB); (1), "
                          "teardown result: (end of s1), teardown result: (teardown)"));
}

TEST(Permutations, a_deadlock_is_shown_as_the_server_resolves_it) {
  const std::vector<std::string> lines = lines_of(accounts_with(R"(
session s1
setup { SET deadlock_timeout = '20ms'; }
step a1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step a2 { UPDATE account SET balance = 1 WHERE id = 2; COMMIT; }
session s2
setup { SET deadlock_timeout = '100s'; }
step b2 { BEGIN; UPDATE account SET balance = 2 WHERE id = 2; }
step b1 { UPDATE account SET balance = 2 WHERE id = 1; COMMIT; }
permutation b2 a1 b1 a2
)"));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("b1 waiting, "));
  EXPECT_THAT(lines[0], HasSubstr("deadlock"));
  EXPECT_THAT(lines[0], HasSubstr("b1 done late: UPDATE 1; COMMIT"));
}

Scenario numbered(int number) {
  return scenario_of(fmt::format(R"(
setup {{ CREATE TABLE t (a int); INSERT INTO t VALUES ({0}); }}
teardown {{ DROP TABLE t; }}
session s1
step a {{ UPDATE t SET a = a + 1; }}
step b {{ UPDATE t SET a = a * 2; }}
step c {{ SELECT a FROM t; }}
session s2
step d {{ UPDATE t SET a = a - 5; }}
step e {{ SELECT a FROM t; }}
session s3
step f {{ UPDATE t SET a = -a; }}
step g {{ SELECT a FROM t; }}
)",
                                 number));
}

// 210 permutations in several files: cut into pieces, two lanes, several workers.
TEST(Permutations, the_number_of_jobs_changes_nothing) {
  const std::vector<Scenario> scenarios = {numbered(1), numbered(20), numbered(300)};
  const Lines one = run_all(scenarios);
  EXPECT_EQ(one.of_file.at(0).size(), 210U);
  for (const bool is_eager : {false, true}) {
    const Lines three = run_all(scenarios, 3, 30'000, is_eager);
    EXPECT_EQ(one.of_file, three.of_file);
    EXPECT_EQ(one.files, three.files);
  }
  EXPECT_TRUE(std::is_sorted(one.files.begin(), one.files.end()));
  EXPECT_FALSE(one.report.failed || one.report.timed_out);
}

TEST(Permutations, a_setup_that_fails_ends_its_file_only) {
  const Scenario broken = scenario_of(
      "setup { CREATE TABLE t (a int); }\nsetup { CREATE TABLE t (a int); }\n"
      "session s1\nstep a { SELECT 1; }\nsession s2\nstep b { SELECT 1; }\n");
  for (const std::uint32_t jobs : {1U, 3U}) {
    const Lines lines = run_all({broken, numbered(1), broken}, jobs, 30'000, jobs > 1);
    EXPECT_TRUE(lines.report.failed);
    EXPECT_EQ(lines.of_file.at(1).size(), 210U);
    for (const std::size_t file : {0U, 2U}) {
      ASSERT_EQ(lines.of_file.at(file).size(), 1U);
      EXPECT_THAT(lines.of_file.at(file)[0],
                  testing::AllOf(HasSubstr("setup failed: ERROR:  relation \"t\" already exists"),
                                 testing::EndsWith("| setup-failed")));
    }
  }
}

TEST(Permutations, a_failing_setup_of_a_session_ends_its_file) {
  const Lines lines =
      run_all({scenario_of("session s1\nsetup { SELECT 1/0; }\nstep a { SELECT 1; }\nsession "
                           "s2\nstep b { SELECT 1; }\n")});
  EXPECT_TRUE(lines.report.failed);
  EXPECT_THAT(lines.of_file.at(0), ElementsAre(HasSubstr("division by zero")));
}

TEST(Permutations, failing_teardowns_are_shown_and_go_on) {
  EXPECT_THAT(lines_of(scenario_of("teardown { DROP TABLE nothing; }\n"
                                   "session s1\nstep a { SELECT 1; }\nteardown { SELECT 1/0; }\n"
                                   "permutation a\npermutation a a\n")),
              ElementsAre(testing::AllOf(HasSubstr("teardown failed: ERROR:  division by zero"),
                                         HasSubstr("teardown failed: ERROR:  table \"nothing\"")),
                          HasSubstr("a done: (1), a done: (1)")));
}

TEST(Permutations, a_step_over_its_time_is_cancelled_and_the_rest_goes_on) {
  const Scenario scenario =
      scenario_of("session s1\nstep a { SELECT pg_sleep(60); }\nstep b { SELECT 1; }\n");
  const Lines lines = run_all({scenario}, 1, 300);
  ASSERT_EQ(lines.of_file.at(0).size(), 1U);
  EXPECT_THAT(lines.of_file.at(0)[0],
              testing::AllOf(HasSubstr("cancelled: isolationtester: canceling step a after"),
                             HasSubstr("a done: ERROR 57014"), testing::EndsWith("b done: (1)")));
  EXPECT_FALSE(lines.report.timed_out);
}

TEST(Permutations, steps_that_block_each_other_for_good_end_the_file) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
session s2
step w2 { UPDATE account SET balance = 2 WHERE id = 1; }
permutation b1 w2
permutation w2 b1
)");
  const Lines lines = run_all({scenario, numbered(1)}, 1, 300);
  EXPECT_THAT(lines.of_file.at(0).at(0), HasSubstr("w2 waiting"));
  EXPECT_EQ(lines.of_file.at(1).size(), 210U);
}

TEST(Permutations, a_receiver_that_has_seen_enough_ends_the_work) {
  (void)shared_server();
  std::size_t seen = 0;
  const std::vector<Scenario> scenarios = {numbered(1), numbered(2)};
  (void)must(
      run_permutations(scenarios, {}, [&](std::size_t, const heddle::Run&) { return ++seen < 5; }));
  EXPECT_EQ(seen, 5U);
}

// Two files that use one role run one after the other.
TEST(Permutations, files_that_share_names_keep_out_of_each_others_way) {
  const Scenario scenario = scenario_of(R"(
setup { CREATE ROLE heddle_permutations; }
teardown { DROP ROLE heddle_permutations; }
session s1
step a { SELECT count(*) FROM pg_roles WHERE rolname = 'heddle_permutations'; }
step b { SELECT pg_sleep(0.01); }
session s2
step c { SELECT 1; }
)");
  const Lines lines = run_all({scenario, scenario, scenario}, 3);
  EXPECT_FALSE(lines.report.failed);
  EXPECT_EQ(lines.files.size(), 9U);
  EXPECT_EQ(lines.of_file.at(0), lines.of_file.at(2));
}

}  // namespace
}  // namespace heddle

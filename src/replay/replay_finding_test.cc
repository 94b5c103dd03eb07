// Findings run again: on the same rows they are confirmed, on mended ones refuted.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/interrupt.h"
#include "heddle/replay.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSessions = R"(
session s1
setup { BEGIN; }
step r1 { SELECT balance FROM account WHERE id = 1 \gset }
step w1 { UPDATE account SET balance = :balance + 10 WHERE id = 1; }
step c1 { COMMIT; }
session s2
setup { BEGIN; }
step r2 { SELECT balance FROM account WHERE id = 1 \gset }
step w2 { UPDATE account SET balance = :balance + 20 WHERE id = 1; }
step c2 { COMMIT; }
)";

Finding finding_of(const Scenario& scenario, const std::string& schedule) {
  Finding finding;
  finding.kind = AnomalyKind::lost_update;
  finding.effect = Effect::internal;
  finding.scenario = scenario;
  finding.schedule = schedule_from(scenario, schedule);
  finding.isolation = IsolationLevel::read_committed;
  return finding;
}

ReplayReport replay(const Finding& finding, std::uint32_t runs) {
  (void)shared_server();  // all replays share it
  ReplayOptions options;
  options.runs = runs;
  options.step_timeout_ms = 2'000;
  return must(replay_finding(finding, options));
}

TEST(ReplayFinding, a_real_one_is_confirmed_every_time) {
  const ReplayReport report = replay(finding_of(accounts_with(kSessions), "r1 r2 w1 c1 w2 c2"), 10);
  EXPECT_EQ(report.runs, 10U);
  EXPECT_EQ(report.confirmed, 10U);
  EXPECT_EQ(report.verdict, Verdict::violated);
  EXPECT_THAT(report.differences, ElementsAre());
  EXPECT_THAT(report.store, HasSubstr("(throwaway)"));
}

TEST(ReplayFinding, what_the_level_prevents_is_refuted_and_says_why) {
  Finding finding = finding_of(accounts_with(kSessions), "r1 r2 w1 c1 w2 c2");
  finding.isolation = IsolationLevel::snapshot;
  const ReplayReport report = replay(finding, 2);
  EXPECT_EQ(report.confirmed, 0U);
  EXPECT_EQ(report.verdict, Verdict::satisfied);
  EXPECT_THAT(report.differences,
              ElementsAre("the store ended s2, and the rest is as in a serial order",
                          "the store ended s2, and the rest is as in a serial order"));
}

TEST(ReplayFinding, a_mended_scenario_is_refuted) {
  std::string mended(kSessions);
  for (std::size_t at = 0; (at = mended.find(" \\gset", at)) != std::string::npos;) {
    mended.replace(at, 6, " FOR UPDATE \\gset");
    at += 17;
  }
  const ReplayReport report = replay(finding_of(accounts_with(mended), "r1 w1 c1 r2 w2 c2"), 2);
  EXPECT_EQ(report.verdict, Verdict::satisfied);
  EXPECT_THAT(report.differences, ElementsAre("the outcome is that of a serial order",
                                              "the outcome is that of a serial order"));
}

TEST(ReplayFinding, an_effect_of_another_kind_is_not_the_finding) {
  Finding finding = finding_of(accounts_with(kSessions), "r1 r2 w1 c1 w2 c2");
  finding.effect = Effect::external;
  EXPECT_THAT(replay(finding, 1).differences,
              ElementsAre("the final state differs from every serial order's, not only "
                          "what was read"));
}

TEST(ReplayFinding, broken_invariants) {
  const Scenario scenario =
      scenario_of("invariant \"low\" { SELECT balance < 130 FROM account }\n" +
                  std::string(kAccounts) + kSessions);
  Finding finding = finding_of(scenario, "r1 w1 c1 r2 w2 c2");
  finding.kind = AnomalyKind::broken_invariant;
  EXPECT_EQ(replay(finding, 2).verdict, Verdict::violated);
  finding.schedule = schedule_from(scenario, "r1 r2 w1 c1 w2 c2");
  EXPECT_EQ(replay(finding, 2).verdict, Verdict::satisfied);
}

TEST(ReplayFinding, a_step_that_never_returns_confirms_nothing) {
  const Scenario scenario = accounts_with("session s1\nstep p { SELECT pg_sleep(60); }\n");
  Finding finding = finding_of(scenario, "p");
  (void)shared_server();
  ReplayOptions options;
  options.runs = 2;
  options.step_timeout_ms = 100;
  const ReplayReport report = must(replay_finding(finding, options));
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_THAT(report.differences, ElementsAre("step p did not return within 100 ms",
                                              "step p did not return within 100 ms"));
}

TEST(ReplayFinding, trouble_with_the_setup_or_the_store) {
  const Scenario broken =
      scenario_of("setup { CREATE TABEL x; }\nsession s1\nstep p { SELECT 1; }\n");
  (void)shared_server();
  const auto failed = replay_finding(finding_of(broken, "p"), {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(to_string(failed.error()), HasSubstr("test.spec:1:9: setup failed: ERROR: "));
  ReplayOptions nowhere;
  nowhere.on.texts = {"postgres://nobody@127.0.0.1:1/"};
  EXPECT_FALSE(replay_finding(finding_of(broken, "p"), nowhere));
}

TEST(ReplayFinding, trouble_of_the_store_is_no_answer) {
  const Scenario scenario = scenario_of(R"(
session s1
step full { DO $$ BEGIN RAISE 'no room on the disk' USING ERRCODE = '53100'; END $$; }
)");
  (void)shared_server();
  const auto report = replay_finding(finding_of(scenario, "full"), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().trouble, Trouble::environment);
  EXPECT_EQ(to_string(report.error()), "test.spec: step full failed: no room on the disk");
}

TEST(ReplayFinding, an_interrupt_is_no_answer) {
  const Scenario scenario = accounts_with(kSessions);
  (void)shared_server();
  raise_interrupt();
  const auto report = replay_finding(finding_of(scenario, "r1 r2 w1 c1 w2 c2"), {});
  clear_interrupt();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().trouble, Trouble::interrupted);
}

}  // namespace
}  // namespace heddle

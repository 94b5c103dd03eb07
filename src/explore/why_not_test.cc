#include "heddle/why_not.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/scenario.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLostUpdate = R"(
setup { CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 100); }
session s1
step b1 { BEGIN; }
step r1 { SELECT balance FROM account WHERE id = 1 \gset }
step w1 { UPDATE account SET balance = :balance + 10 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step b2 { BEGIN; }
step r2 { SELECT balance FROM account WHERE id = 1 \gset }
step w2 { UPDATE account SET balance = :balance + 20 WHERE id = 1; }
step c2 { COMMIT; }
)";

WhyNotReport ask(const std::string& spec, const std::string& schedule,
                 std::optional<IsolationLevel> level = std::nullopt) {
  const auto scenario = parse_scenario(spec + "permutation " + schedule + "\n", "why.spec");
  EXPECT_TRUE(scenario) << to_string(scenario.error());
  if (!scenario) return {};
  ExploreOptions options;
  if (level) options.levels = {*level};
  auto report = explain_schedules(*scenario, options);
  EXPECT_TRUE(report) << to_string(report.error());
  return report ? std::move(*report) : WhyNotReport();
}

std::vector<std::string> answer_sentences(const ScheduleAnswer& answer) {
  std::vector<std::string> all;
  for (const Obstacle& obstacle : answer.obstacles) all.push_back(obstacle.sentence);
  return all;
}

TEST(WhyNot, what_happens_is_said_with_its_finding) {
  const WhyNotReport report = ask(kLostUpdate, "b1 r1 b2 r2 w2 c2 w1 c1");
  ASSERT_EQ(report.answers.size(), 1U);
  const ScheduleAnswer& answer = report.answers[0];
  EXPECT_TRUE(answer.happens);
  EXPECT_EQ(answer.finding.kind, AnomalyKind::lost_update);
  EXPECT_EQ(answer.conclusion,
            "It happens at postgres:read-committed: lost update on account(id=1).");
  EXPECT_THAT(answer.elsewhere,
              ElementsAre(std::pair(IsolationLevel::postgres_repeatable_read, false),
                          std::pair(IsolationLevel::postgres_serializable, false)));
}

TEST(WhyNot, the_store_ends_a_session) {
  const WhyNotReport report =
      ask(kLostUpdate, "b1 r1 b2 r2 w2 c2 w1 c1", IsolationLevel::postgres_repeatable_read);
  ASSERT_EQ(report.answers.size(), 1U);
  const ScheduleAnswer& answer = report.answers[0];
  EXPECT_FALSE(answer.happens);
  ASSERT_EQ(answer.obstacles.size(), 1U);
  EXPECT_EQ(answer.obstacles[0].kind, ObstacleKind::ends);
  EXPECT_THAT(answer.obstacles[0].sentence, HasSubstr("The store ends s1 at w1"));
  EXPECT_THAT(answer.conclusion, HasSubstr("the store ends s1"));
  EXPECT_THAT(answer.equal_order, ElementsAre("s2"));
}

TEST(WhyNot, a_step_waits_for_a_row) {
  const WhyNotReport report = ask(kLostUpdate, "b1 r1 w1 b2 r2 w2 c2 c1");
  ASSERT_EQ(report.answers.size(), 1U);
  const ScheduleAnswer& answer = report.answers[0];
  EXPECT_TRUE(answer.happens);
  EXPECT_THAT(
      answer_sentences(answer),
      testing::Contains(
          "w2 has to wait for s1, which has account(id=1) locked until its transaction ends"));
  EXPECT_NE(answer.finding.run.planned, answer.asked);
}

TEST(WhyNot, a_read_sees_what_was_there_before) {
  const std::string spec = R"(
setup { CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0), (2, 0); }
session reader
step br { BEGIN; }
step r1 { SELECT n FROM t WHERE id = 1; }
step r2 { SELECT n FROM t WHERE id = 2; }
step cr { COMMIT; }
session writer
step bw { BEGIN; }
step w1 { UPDATE t SET n = 1 WHERE id = 1; }
step w2 { UPDATE t SET n = 1 WHERE id = 2; }
step cw { COMMIT; }
)";
  const WhyNotReport dirty = ask(spec, "bw w1 br r1 r2 cr w2 cw");
  ASSERT_EQ(dirty.answers.size(), 1U);
  EXPECT_THAT(answer_sentences(dirty.answers[0]),
              ElementsAre("r1 reads t(id=1) as it was before w1: writer had not committed yet"));
  EXPECT_THAT(dirty.answers[0].conclusion, HasSubstr("does no harm"));
  const WhyNotReport skew =
      ask(spec, "br r1 bw w1 w2 cw r2 cr", IsolationLevel::postgres_repeatable_read);
  ASSERT_EQ(skew.answers.size(), 1U);
  EXPECT_THAT(answer_sentences(skew.answers[0]),
              ElementsAre("r2 reads t(id=2) as it was before w2: writer had committed, but after "
                          "the snapshot of reader was taken"));
  EXPECT_THAT(skew.answers[0].equal_order, ElementsAre("reader", "writer"));
  EXPECT_TRUE(skew.answers[0].elsewhere[0].second) << "read skew at read committed";
}

TEST(WhyNot, a_serial_order_meets_no_obstacle) {
  const WhyNotReport report = ask(kLostUpdate, "b1 r1 w1 c1 b2 r2 w2 c2");
  ASSERT_EQ(report.answers.size(), 1U);
  EXPECT_THAT(report.answers[0].obstacles, IsEmpty());
  EXPECT_FALSE(report.answers[0].happens);
  EXPECT_THAT(report.answers[0].equal_order, ElementsAre("s1", "s2"));
}

TEST(WhyNot, somebody_has_to_say_which) {
  const auto scenario = parse_scenario(kLostUpdate, "why.spec");
  ASSERT_TRUE(scenario);
  const auto report = explain_schedules(*scenario, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().trouble, Trouble::bad_input);
  EXPECT_THAT(report.error().what_to_do, HasSubstr("--schedule"));
}

}  // namespace
}  // namespace heddle

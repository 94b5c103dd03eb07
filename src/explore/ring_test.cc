// Scenarios on two MariaDB servers that replicate each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/explore.h"
#include "heddle/scenario.h"

namespace heddle {
namespace {

using testing::ElementsAre;

constexpr const char* kRingAccount = R"(
setup { CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 100), (2, 0);
        CREATE TABLE entry (id int PRIMARY KEY AUTO_INCREMENT, amount int); }
)";

Result<ExploreReport> explore_ring(const std::string& sessions, IsolationLevel level,
                                   std::size_t jobs = 1) {
  const Result<Scenario> scenario = parse_scenario(kRingAccount + sessions, "ring.spec");
  if (!scenario) return scenario.error();
  ExploreOptions options;
  options.on.texts = {"mariadb:ring"};
  options.levels = {level};
  options.jobs = jobs;
  return explore(*scenario, options);
}

const LevelReport& ring_level_of(const Result<ExploreReport>& report) {
  static const LevelReport nothing;
  EXPECT_TRUE(report) << to_string(report.error());
  return report ? report->levels.front() : nothing;
}

constexpr const char* kBlind = R"(
session s1
step w1 { UPDATE account SET balance = 10 WHERE id = 1; }
session s2
setup { MOVE TO r2; }
step w2 { UPDATE account SET balance = 20 WHERE id = 1; }
session network
step part { PARTITION r1 FROM r2; }
step heal { HEAL; }
)";

// Blind writes in some order give one of the two values: not that the servers do not agree.
TEST(RingScenario, ends_with_servers_that_differ) {
  const auto report = explore_ring(kBlind, IsolationLevel::mariadb_repeatable_read, 2);
  const LevelReport& level = ring_level_of(report);
  EXPECT_EQ(level.interleavings, 12U);
  EXPECT_EQ(level.anomalous, 2U);
  ASSERT_EQ(level.findings.size(), 1U);
  const Finding& finding = level.findings.front();
  EXPECT_EQ(finding.effect, Effect::internal);
  EXPECT_EQ(finding.serial.size(), 2U);
  std::vector<std::string> places;
  for (const SerialComparison& serial : finding.serial) {
    for (const Difference& difference : serial.differences) places.push_back(difference.where);
  }
  EXPECT_THAT(places, ElementsAre("final rows of account at r2", "final rows of account"));
}

// Without a partition what one server commits is at the other before the next step.
TEST(RingScenario, is_in_order_where_everything_is_delivered_at_once) {
  constexpr const char* kDelivered = R"(
session s1
step w1 { UPDATE account SET balance = balance + 10 WHERE id = 1; INSERT INTO entry (amount) VALUES (10); }
session s2
setup { MOVE TO r2; }
step w2 { UPDATE account SET balance = balance + 20 WHERE id = 1; INSERT INTO entry (amount) VALUES (20); }
step r2 { SELECT * FROM account; }
)";
  const LevelReport level =
      ring_level_of(explore_ring(kDelivered, IsolationLevel::mariadb_read_committed));
  EXPECT_EQ(level.interleavings, 3U);
  EXPECT_EQ(level.anomalous, 0U);
}

// The two transactions are at different servers, so that no lock keeps them apart.
TEST(RingScenario, has_anomalies_at_the_strongest_level_of_its_servers) {
  constexpr const char* kRingSkew = R"(
session s1
step r1 { BEGIN; SELECT sum(balance) FROM account; }
step w1 { UPDATE account SET balance = -1 WHERE id = 1; COMMIT; }
session s2
setup { MOVE TO r2; }
step r2 { BEGIN; SELECT sum(balance) FROM account; }
step w2 { UPDATE account SET balance = -1 WHERE id = 2; COMMIT; }
)";
  EXPECT_GT(ring_level_of(explore_ring(kRingSkew, IsolationLevel::mariadb_serializable)).anomalous,
            0U);
}

// What is applied at r2 waits for the lock of s2, and the session that wants it there with it.
TEST(RingScenario, lets_deliveries_wait_for_locks) {
  constexpr const char* kLocked = R"(
session s1
setup { DELIVERY MANUAL; }
step w1 { UPDATE account SET balance = 10 WHERE id = 1; }
session s2
setup { MOVE TO r2; }
step l2 { BEGIN; SELECT * FROM account WHERE id = 1 FOR UPDATE; }
step c2 { COMMIT; }
session network
step come { DELIVER s1 TO r2; }
permutation w1 l2 come c2
)";
  const LevelReport level =
      ring_level_of(explore_ring(kLocked, IsolationLevel::mariadb_repeatable_read));
  EXPECT_EQ(level.interleavings, 1U);
  EXPECT_EQ(level.anomalous, 0U);
  EXPECT_EQ(level.aborted_runs, 0U);
}

}  // namespace
}  // namespace heddle

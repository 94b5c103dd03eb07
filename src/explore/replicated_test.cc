// Scenarios on the replicated store, whose steps say what is delivered when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/explore.h"
#include "heddle/scenario.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* kAccount = R"(
setup { CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 100), (2, 0); }
)";

Result<ExploreReport> explore_at(const std::string& sessions, IsolationLevel level) {
  const Result<Scenario> scenario = parse_scenario(kAccount + sessions, "parted.spec");
  if (!scenario) return scenario.error();
  ExploreOptions options;
  options.on.texts = {"replicated"};
  options.levels = {level};
  return explore(*scenario, options);
}

const LevelReport& replicated_level_of(const Result<ExploreReport>& report) {
  static const LevelReport nothing;
  EXPECT_TRUE(report) << to_string(report.error());
  return report ? report->levels.front() : nothing;
}

// The two updates are one statement each: only on two copies can one of them be lost.
constexpr const char* kParted = R"(
session s1
step w1 { UPDATE account SET balance = balance + 10 WHERE id = 1; }
session s2
setup { MOVE TO r2; }
step w2 { UPDATE account SET balance = balance + 20 WHERE id = 1; }
session network
step part { PARTITION r1 FROM r2; }
step heal { HEAL; }
)";

TEST(ReplicatedScenario, loses_an_update_across_a_partition) {
  const auto report = explore_at(kParted, IsolationLevel::eventual);
  const LevelReport& level = replicated_level_of(report);
  EXPECT_EQ(level.interleavings, 12U);
  EXPECT_EQ(level.anomalous, 2U);
  EXPECT_THAT(report->store, HasSubstr("2 replicas"));
  EXPECT_EQ(replicated_level_of(explore_at(kParted, IsolationLevel::causal)).anomalous, 2U);
  EXPECT_EQ(replicated_level_of(explore_at(kParted, IsolationLevel::snapshot)).anomalous, 0U);
  EXPECT_EQ(replicated_level_of(explore_at(kParted, IsolationLevel::serializable)).anomalous, 0U);
}

constexpr const char* kReplicatedTransfer = R"(
session transfer
setup { BEGIN; }
step take { UPDATE account SET balance = balance - 10 WHERE id = 1; }
step give { UPDATE account SET balance = balance + 10 WHERE id = 2; }
step end  { COMMIT; }
session audit
setup { MOVE TO r2; }
step sum  { SELECT sum(balance) FROM account; }
)";

TEST(ReplicatedScenario, shows_half_a_transaction_below_read_committed_only) {
  EXPECT_GT(replicated_level_of(explore_at(kReplicatedTransfer, IsolationLevel::causal)).anomalous,
            0U);
  EXPECT_EQ(replicated_level_of(explore_at(kReplicatedTransfer, IsolationLevel::read_committed))
                .anomalous,
            0U);
}

constexpr const char* kSkew = R"(
session s1
step r1 { BEGIN; SELECT sum(balance) FROM account; }
step w1 { UPDATE account SET balance = -1 WHERE id = 1; COMMIT; }
session s2
setup { MOVE TO r2; }
step r2 { BEGIN; SELECT sum(balance) FROM account; }
step w2 { UPDATE account SET balance = -1 WHERE id = 2; COMMIT; }
)";

TEST(ReplicatedScenario, allows_write_skew_at_snapshot) {
  EXPECT_GT(replicated_level_of(explore_at(kSkew, IsolationLevel::snapshot)).anomalous, 0U);
  EXPECT_EQ(replicated_level_of(explore_at(kSkew, IsolationLevel::serializable)).anomalous, 0U);
}

// Each reader sees one of the writes and not the other.
constexpr const char* kFork = R"(
session s1
step w1 { UPDATE account SET balance = 1 WHERE id = 1; }
session s2
setup { MOVE TO r2; DELIVERY MANUAL; }
step w2 { UPDATE account SET balance = 2 WHERE id = 2; }
session s3
step r3 { SELECT id, balance FROM account; }
session s4
setup { MOVE TO r2; }
step r4 { SELECT id, balance FROM account; }
)";

TEST(ReplicatedScenario, has_a_long_fork_below_snapshot_only) {
  EXPECT_GT(replicated_level_of(explore_at(kFork, IsolationLevel::causal)).anomalous, 0U);
  EXPECT_GT(replicated_level_of(explore_at(kFork, IsolationLevel::read_committed)).anomalous, 0U);
  EXPECT_EQ(replicated_level_of(explore_at(kFork, IsolationLevel::snapshot)).anomalous, 0U);
}

}  // namespace
}  // namespace heddle

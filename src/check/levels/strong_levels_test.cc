// The engine of the strong levels against brute force, and its own parts by hand.
#include "check/levels/strong_levels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/levels/order_brute_force.h"
#include "check/levels/sample_recorded.h"
#include "check/observation/explains.h"

namespace heddle {
namespace {

constexpr IsolationLevel kStrongLevels[] = {IsolationLevel::prefix,
                                            IsolationLevel::parallel_snapshot,
                                            IsolationLevel::snapshot,
                                            IsolationLevel::strong_session_snapshot,
                                            IsolationLevel::serializable,
                                            IsolationLevel::strong_session_serializable,
                                            IsolationLevel::strict_serializable};

constexpr OrderSwitches kSwitches[] = {{false, false}, {true, false}, {false, true}};

// Checks that each edge of a violated answer is there and that they close.
void expect_closed(const EngineAnswer& answer) {
  for (std::size_t i = 0; i < answer.cycle.size(); ++i) {
    EXPECT_EQ(answer.cycle[i].to, answer.cycle[(i + 1) % answer.cycle.size()].from);
  }
}

// The number of answers that were violated.
std::size_t compare_strong_levels(const TransactionHistory& history,
                                  const OrderSwitches& switches) {
  const Observation observation(history);
  if (!observation.illegal().empty() || !observation.doubt().empty()) return 0;
  if (observation.node_count() > 8) return 0;
  std::size_t violated = 0;
  for (const IsolationLevel level : kStrongLevels) {
    Meter meter({});
    const EngineAnswer answer = check_strong_level(observation, level, switches, meter);
    const Verdict expected = brute_force_level(observation, level, switches);
    EXPECT_EQ(answer.verdict, expected) << definition(level).name << "\n" << text_of(history);
    if (answer.verdict == Verdict::satisfied) {
      EXPECT_TRUE(explains(observation, answer.order, answer.chosen, level, switches))
          << definition(level).name << " in the order " << testing::PrintToString(answer.order)
          << "\n"
          << text_of(history);
    } else {
      expect_closed(answer);
      ++violated;
    }
  }
  return violated;
}

TEST(StrongLevels, AgreeWithBruteForceOnSamples) {
  const std::size_t rounds = test_rounds(4000);
  std::size_t violated = 0;
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    const TransactionHistory history = sample_of_seed(seed);
    for (const OrderSwitches& switches : kSwitches)
      violated += compare_strong_levels(history, switches);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(violated, rounds);
}

TEST(StrongLevels, AgreeWithBruteForceOnAllSmallHistories) {
  std::size_t violated = 0;
  for_each_small_history([&](const TransactionHistory& history) {
    if (!testing::Test::HasFailure()) violated += compare_strong_levels(history, {});
  });
  EXPECT_GT(violated, 10'000U);
}

// At least the verdicts of the same history at levels that imply each other.
TEST(StrongLevels, StrongerOnesImplyWeakerOnes) {
  const std::size_t rounds = test_rounds(400);
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    const TransactionHistory history = sample_of_seed(seed, {.transactions = 20});
    const Observation observation(history);
    if (!observation.illegal().empty() || !observation.doubt().empty()) continue;
    const auto verdict = [&](IsolationLevel level) {
      Meter meter({});
      return check_strong_level(observation, level, {}, meter).verdict;
    };
    for (const IsolationLevel stronger : kStrongLevels) {
      if (verdict(stronger) != Verdict::satisfied) continue;
      for (const IsolationLevel weaker : kStrongLevels) {
        if (!implies(stronger, weaker)) continue;
        ASSERT_EQ(verdict(weaker), Verdict::satisfied)
            << definition(stronger).name << " and not " << definition(weaker).name << ", seed "
            << seed;
      }
    }
  }
}

// The comparison notices an engine that decides the next level.
TEST(StrongLevels, CanaryEngineOfAnotherLevelIsNoticed) {
  std::size_t noticed = 0;
  for (std::size_t seed = 0; seed < 1000; ++seed) {
    const TransactionHistory history = sample_of_seed(seed);
    const Observation observation(history);
    if (!observation.illegal().empty() || !observation.doubt().empty()) continue;
    Meter meter({});
    const auto answer = check_strong_level(observation, IsolationLevel::snapshot, {}, meter);
    noticed += answer.verdict != brute_force_level(observation, IsolationLevel::serializable, {});
  }
  EXPECT_GT(noticed, 10U);
}

}  // namespace
}  // namespace heddle

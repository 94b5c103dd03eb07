// What depth first says it has covered is what it has covered.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

// Two tasks can go on, at each of so many decisions.
void execute_once(Strategy& strategy, std::uint32_t decisions) {
  std::array<PendingOperation, kMostTasks> pending{};
  for (std::uint32_t i = 1; i <= decisions; ++i) {
    strategy.pick({.enabled = only(0) | only(1), .place = {0, i}, .pending = &pending});
  }
  strategy.end_execution(decisions, false);
}

}  // namespace

TEST(DepthFirst, SaysThatAllWasTried) {
  const auto strategy = depth_first(2);
  std::size_t executions = 0;
  for (; strategy->begin_execution(); ++executions) execute_once(*strategy, 2);
  EXPECT_EQ(executions, 4U);
  EXPECT_EQ(strategy->coverage(), "all interleavings");
}

TEST(DepthFirst, ClaimsNothingWhenAnExecutionDidNotComeToItsDeparture) {
  const auto strategy = depth_first(2);
  ASSERT_TRUE(strategy->begin_execution());
  execute_once(*strategy, 2);
  while (strategy->begin_execution()) execute_once(*strategy, 0);
  EXPECT_EQ(strategy->coverage().find("all"), std::string::npos) << strategy->coverage();
}

}  // namespace heddle::sched::runtime

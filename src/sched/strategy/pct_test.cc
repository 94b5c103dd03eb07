// PCT finds a bug of depth d with a probability of at least 1 / (n k^(d - 1)), where n threads make
// k steps: Burckhardt and others, theorem 9. Threads here are rows of steps; a bug is an order of
// some of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

// The how manieth step of which task.
struct Step {
  TaskId task = 0;
  std::uint32_t number = 0;

  friend bool operator==(const Step&, const Step&) = default;
};

// The order in which the tasks' steps were made. Tasks are numbered from 1, as 0 starts them.
std::vector<Step> execute(Strategy& strategy, const std::vector<std::uint32_t>& steps) {
  std::vector<Step> order;
  std::vector<std::uint32_t> made(steps.size() + 1, 0);
  std::array<PendingOperation, kMostTasks> pending{};
  TaskSet enabled = 0;
  for (std::size_t i = 1; i <= steps.size(); ++i) {
    enabled |= only(static_cast<TaskId>(i));
    pending[i] = {.object = 1, .changes = true};
  }
  TaskId current = 0;
  std::size_t decisions = 0;
  strategy.begin_execution();
  while (enabled != 0) {
    // As in the runtime, there is no decision where there is no choice.
    if (!std::has_single_bit(enabled)) {
      ++decisions;
      current = strategy.pick({.enabled = enabled,
                               .current = current,
                               .place = {current, made[current] + 1},
                               .pending = &pending});
    } else {
      current = first_of(enabled);
    }
    order.push_back({current, ++made[current]});
    if (made[current] == steps[current - 1U]) enabled &= ~only(current);
  }
  strategy.end_execution(decisions, false);
  return order;
}

// Whether the steps of `bug` are made in its order.
bool meets(const std::vector<Step>& order, const std::vector<Step>& bug) {
  std::size_t met = 0;
  for (const Step& step : order) {
    if (met < bug.size() && step == bug[met]) ++met;
  }
  return met == bug.size();
}

struct Bug {
  const char* name = nullptr;
  std::uint32_t depth = 0;
  std::vector<std::uint32_t> steps;  // of each task
  std::vector<Step> order;           // in which they are made if the bug shows
};

const Bug kBugs[] = {
    // One order: task 2 ends before task 1 begins, and with many others.
    {"late start", 1, {3, 3}, {{2, 3}, {1, 1}}},
    {"last of five", 1, {2, 2, 2, 2, 2}, {{1, 2}, {5, 1}}},
    // Two: task 2 is in the middle of task 1.
    {"lost update", 2, {2, 2}, {{1, 1}, {2, 1}, {2, 2}, {1, 2}}},
    {"atomicity among others", 2, {6, 6, 6}, {{1, 3}, {3, 1}, {3, 6}, {1, 4}}},
    {"one late place", 2, {20, 1}, {{1, 19}, {2, 1}, {1, 20}}},
    // Three: one interrupts the other twice.
    {"twice interrupted", 3, {4, 4}, {{1, 1}, {2, 1}, {1, 2}, {1, 3}, {2, 2}}},
    {"there and back", 3, {5, 5}, {{1, 2}, {2, 2}, {1, 3}, {1, 4}, {2, 3}}},
    {"three tasks", 3, {3, 3, 3}, {{1, 1}, {2, 1}, {2, 3}, {3, 1}, {3, 3}, {1, 2}}},
};

}  // namespace

TEST(Pct, FindsABugOfDepthDAsOftenAsItsTheoremSays) {
  constexpr std::size_t kRuns = 100'000;
  for (const Bug& bug : kBugs) {
    const std::unique_ptr<Strategy> strategy = pct(7, bug.depth);
    std::size_t found = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      if (meets(execute(*strategy, bug.steps), bug.order)) ++found;
    }
    double length = 0;
    for (const std::uint32_t steps : bug.steps) length += steps;
    const double bound =
        1.0 / (static_cast<double>(bug.steps.size()) * std::pow(length, bug.depth - 1));
    // Where the bound is met exactly, half of all samples are below it: by five deviations none.
    const double least = bound - 5 * std::sqrt(bound / kRuns);
    EXPECT_GE(static_cast<double>(found) / kRuns, least) << bug.name;
    RecordProperty(bug.name, static_cast<int>(found));
  }
}

TEST(Pct, SeldomFindsWhatIsDeeperThanItLooks) {
  // With one order alone no task is interrupted.
  const std::unique_ptr<Strategy> strategy = pct(7, 1);
  for (std::size_t run = 0; run < 10'000; ++run) {
    EXPECT_FALSE(meets(execute(*strategy, kBugs[2].steps), kBugs[2].order));
  }
}

TEST(Strategies, ReachEveryOrderOfAFewSteps) {
  const std::vector<std::uint32_t> steps{2, 2, 1};
  for (const auto& strategy : {random_walk(1), pos(1), depth_first(UINT32_MAX)}) {
    std::vector<std::vector<Step>> orders;
    for (int run = 0; run < 3000; ++run) {
      std::vector<Step> order = execute(*strategy, steps);
      if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
      if (strategy->coverage() == "all interleavings") break;
    }
    EXPECT_EQ(orders.size(), 30U) << strategy->coverage() << ": 5! / (2! 2! 1!)";
  }
}

TEST(Strategies, AreTheSameForTheSameSeed) {
  const std::vector<std::uint32_t> steps{5, 5, 5};
  using Make = std::unique_ptr<Strategy> (*)(std::uint64_t);
  const Make makes[] = {random_walk, pos, [](std::uint64_t seed) { return pct(seed, 3); }};
  for (const Make make : makes) {
    const std::unique_ptr<Strategy> one = make(3);
    const std::unique_ptr<Strategy> other = make(3);
    for (int run = 0; run < 100; ++run) EXPECT_EQ(execute(*one, steps), execute(*other, steps));
  }
}

}  // namespace heddle::sched::runtime

// The verifier by hand on textbook histories, the oracle built upon it, and what levels imply.
#include "check/observation/explains.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/levels/order_brute_force.h"
#include "check/levels/sample_recorded.h"
#include "check/observation/real_time.h"

namespace heddle {
namespace {

std::vector<IsolationLevel> levels() {
  std::vector<IsolationLevel> all;
  for (const LevelDefinition& level : isolation_levels()) {
    if (order_axioms(level.level)) all.push_back(level.level);
  }
  return all;
}

// The levels that a history violates, in the order of the table.
std::string violated(const std::string& text, const OrderSwitches& switches = {}) {
  const TransactionHistory history = recorded_sample(text);
  const Observation observation(history);
  std::string names;
  for (const IsolationLevel level : levels()) {
    if (brute_force_level(observation, level, switches) == Verdict::satisfied) continue;
    names += (names.empty() ? "" : ", ") + std::string(definition(level).name);
  }
  return names;
}

TEST(Explain, TheLevelsOfTransactions) {
  EXPECT_EQ(levels().size(), 17U);
  EXPECT_FALSE(order_axioms(IsolationLevel::linearizable));
  EXPECT_FALSE(order_axioms(IsolationLevel::postgres_serializable));
}

TEST(Explain, SerialHistories) {
  EXPECT_EQ(violated("0 w(x,1) c 1 2\n1 r(x,1) w(y,2) c 3 4\n0 r(y,2) r(x,1) c 5 6\n"), "");
}

TEST(Explain, LostUpdate) {
  EXPECT_EQ(violated("0 r(x,nil) w(x,1) c\n1 r(x,nil) w(x,2) c\n"),
            "repeatable-read, snapshot, serializable, strict-serializable, parallel-snapshot, "
            "strong-session-snapshot, strong-session-serializable");
}

TEST(Explain, WriteSkew) {
  EXPECT_EQ(violated("0 r(x,nil) r(y,nil) w(x,1) c\n1 r(x,nil) r(y,nil) w(y,2) c\n"),
            "repeatable-read, serializable, strict-serializable, strong-session-serializable");
}

TEST(Explain, LongFork) {
  EXPECT_EQ(violated("0 w(x,1) c\n1 w(y,2) c\n2 r(x,1) r(y,nil) c\n3 r(x,nil) r(y,2) c\n"),
            "repeatable-read, snapshot, serializable, strict-serializable, prefix, "
            "strong-session-snapshot, strong-session-serializable");
}

TEST(Explain, FracturedRead) {
  // Read committed sees what it has seen, and x was read first.
  EXPECT_EQ(violated("0 w(x,1) w(y,1) c\n1 r(x,nil) r(y,1) c\n"),
            "repeatable-read, snapshot, serializable, strict-serializable, read-atomic, "
            "transactional-causal, prefix, parallel-snapshot, strong-session-snapshot, "
            "strong-session-serializable");
  EXPECT_EQ(violated("0 w(x,1) w(y,1) c\n1 r(y,1) r(x,nil) c\n"),
            "repeatable-read, snapshot, serializable, strict-serializable, "
            "read-committed-biswas-enea, read-atomic, transactional-causal, prefix, "
            "parallel-snapshot, strong-session-snapshot, strong-session-serializable");
}

TEST(Explain, CausalityViolation) {
  // Not serializable with any sessions, either: the reader of y misses what its writer had read.
  EXPECT_EQ(violated("0 w(x,1) c\n1 r(x,1) w(y,2) c\n2 r(y,2) r(x,nil) c\n"),
            "repeatable-read, snapshot, serializable, strict-serializable, transactional-causal, "
            "prefix, parallel-snapshot, strong-session-snapshot, strong-session-serializable");
}

TEST(Explain, SessionGuarantees) {
  const std::string sessions =
      "transactional-causal, prefix, parallel-snapshot, strong-session-snapshot, "
      "strong-session-serializable";
  EXPECT_EQ(violated("0 w(x,1) c\n0 r(x,nil) c\n"),
            "strict-serializable, read-your-writes, read-atomic, " + sessions);
  EXPECT_EQ(violated("0 w(x,1) c\n1 r(x,1) c\n1 r(x,nil) c\n"),
            "strict-serializable, monotonic-reads, " + sessions);
  EXPECT_EQ(violated("0 w(x,1) c\n0 w(y,2) c\n1 r(x,nil) r(y,2) c\n"),
            "strict-serializable, monotonic-writes, " + sessions);
  EXPECT_EQ(violated("0 w(x,1) c\n1 r(x,1) c\n1 w(y,2) c\n2 r(x,nil) r(y,2) c\n"),
            "strict-serializable, writes-follow-reads, " + sessions);
}

// Who sees both writes of x must see the second one last.
TEST(Explain, MonotonicWritesKeepTheOrderOfWriters) {
  EXPECT_EQ(violated("0 w(x,1) c\n0 w(x,2) c\n0 w(y,3) c\n1 r(x,1) r(y,3) c\n"),
            "strict-serializable, monotonic-writes, transactional-causal, prefix, "
            "parallel-snapshot, strong-session-snapshot, strong-session-serializable");
}

TEST(Explain, CircularFlow) {
  const std::string names = violated("0 r(x,1) w(y,2) c\n1 r(y,2) w(x,1) c\n");
  EXPECT_EQ(names.find("read-uncommitted"), std::string::npos);
  EXPECT_EQ(names.find("read-committed"), 0U);
  EXPECT_EQ(std::ranges::count(names, ','), 15);
}

TEST(Explain, DirtyWrites) {
  const std::string names = violated(
      "0 a(x,1) a(y,2) c\n1 a(x,3) a(y,4) c\n"
      "2 r(x,[1,3]) r(y,[4,2]) c\n");
  EXPECT_EQ(names.find("read-uncommitted"), 0U);
  EXPECT_EQ(std::ranges::count(names, ','), 16);
}

TEST(Explain, RealTime) {
  const std::string stale = "0 w(x,1) c 1 2\n1 r(x,nil) c 3 4\n";
  EXPECT_EQ(violated(stale), "strict-serializable");
  EXPECT_EQ(violated("0 w(x,1) c 1 3\n1 r(x,nil) c 2 4\n", {.realtime = true}), "");
  // A snapshot is not older than the moment at which it is taken; causality knows no time.
  EXPECT_EQ(violated(stale, {.realtime = true}),
            "repeatable-read, snapshot, serializable, strict-serializable, prefix, "
            "parallel-snapshot, strong-session-snapshot, strong-session-serializable");
}

TEST(Explain, SessionsOfSnapshots) {
  const std::string stale = "0 w(x,1) c\n0 r(x,nil) c\n";
  EXPECT_EQ(violated(stale).find(" snapshot,"), std::string::npos);
  // With sessions snapshot isolation is strong session snapshot isolation.
  EXPECT_NE(violated(stale, {.session = true}).find(" snapshot,"), std::string::npos);
}

TEST(Explain, WhatIsNoOrderExplainsNothing) {
  const TransactionHistory history = recorded_sample("0 w(x,1) c\n1 w(x,1) c\n2 r(x,1) c\n");
  const Observation observation(history);
  const auto explained = [&](std::vector<Node> order, std::vector<Node> chosen) {
    return explains(observation, order, chosen, IsolationLevel::serializable, {});
  };
  EXPECT_TRUE(explained({1, 2, 3}, {2}));
  EXPECT_FALSE(explained({1, 2, 3}, {1}));
  EXPECT_FALSE(explained({1, 2, 3}, {}));
  EXPECT_FALSE(explained({1, 2, 3}, {0}));
  EXPECT_FALSE(explained({1, 2, 3}, {3}));
  EXPECT_FALSE(explained({1, 2}, {2}));
  EXPECT_FALSE(explained({1, 2, 2}, {2}));
  EXPECT_FALSE(explained({0, 1, 2, 3}, {2}));
  EXPECT_FALSE(explained({1, 2, 4}, {2}));
  EXPECT_FALSE(explained({3, 1, 2}, {2}));
}

TEST(Explain, TransactionsEndedBeforeOthersBegan) {
  const TransactionHistory history = recorded_sample(
      "0 w(x,1) c 1 5\n1 w(x,2) c 2 3\n2 r(x,1) r(x,2) r(x,3) c 5 9\n3 w(x,3) u 1 2\n"
      "4 w(x,4) a 1 2\n4 w(x,5) c 6 7\n");
  const Observation observation(history);
  const RealTime real_time(observation);
  // By their ends: t1, t0, t5, t2. Nobody knows when t3 ended.
  EXPECT_EQ(std::vector(real_time.by_end().begin(), real_time.by_end().end()),
            (std::vector<Node>{2, 1, 5, 3}));
  EXPECT_EQ(real_time.ended_before(1), 0U);
  EXPECT_EQ(real_time.ended_before(3), 1U);  // t0 ends when t2 begins
  EXPECT_EQ(real_time.ended_before(5), 2U);
}

TEST(Explain, StrongerLevelsImplyWeakerOnes) {
  std::size_t told_apart = 0;
  for_each_small_history([&](const TransactionHistory& history) {
    const Observation observation(history);
    if (!observation.illegal().empty()) return;
    std::vector<bool> holds;
    for (const IsolationLevel level : levels()) {
      holds.push_back(brute_force_level(observation, level, {}) == Verdict::satisfied);
    }
    for (std::size_t i = 0; i < holds.size(); ++i) {
      for (std::size_t j = 0; j < holds.size(); ++j) {
        if (holds[i] == holds[j]) continue;
        ++told_apart;
        const std::size_t stronger = holds[i] ? i : j;
        const std::size_t weaker = holds[i] ? j : i;
        ASSERT_FALSE(implies(levels()[stronger], levels()[weaker]))
            << definition(levels()[stronger]).name << ", " << definition(levels()[weaker]).name;
      }
    }
  });
  EXPECT_GT(told_apart, 100'000U);
}

}  // namespace
}  // namespace heddle

// The engines against an oracle that shares nothing with them: all orders of all choices of the
// transactions that may have happened, carried out one after the other.
#include "check/levels/replay_order.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/levels/sample_recorded.h"
#include "heddle/check.h"

namespace heddle {
namespace {

constexpr IsolationLevel kSerialLevels[] = {IsolationLevel::serializable,
                                            IsolationLevel::strong_session_serializable,
                                            IsolationLevel::strict_serializable};

OrderSwitches switches_of(IsolationLevel level) {
  return {level != IsolationLevel::serializable, level == IsolationLevel::strict_serializable};
}

bool some_order_replays(const TransactionHistory& history, std::vector<TransactionId> some,
                        const OrderSwitches& switches) {
  std::ranges::sort(some);
  do {
    if (!find_replay_flaw(history, some, switches)) return true;
  } while (std::ranges::next_permutation(some).found);
  return false;
}

bool replays(const TransactionHistory& history, const OrderSwitches& switches) {
  std::vector<TransactionId> committed;
  std::vector<TransactionId> unknown;
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    const TransactionOutcome outcome = history.transactions[i].outcome;
    if (outcome == TransactionOutcome::committed) committed.emplace_back(i);
    if (outcome == TransactionOutcome::unknown) unknown.emplace_back(i);
  }
  for (std::size_t happened = 0; happened < std::size_t{1} << unknown.size(); ++happened) {
    std::vector<TransactionId> some = committed;
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      if ((happened >> i & 1) != 0) some.push_back(unknown[i]);
    }
    if (some_order_replays(history, some, switches)) return true;
  }
  return false;
}

struct OrderTally {
  std::size_t satisfied = 0;
  std::size_t violated = 0;
};

void compare_orders(const TransactionHistory& history, OrderTally& tally) {
  const Result<CheckReport> report = check_history(history, {});
  ASSERT_TRUE(report);
  for (const LevelAnswer& answer : report->answers) {
    if (std::ranges::find(kSerialLevels, answer.level) == std::end(kSerialLevels)) continue;
    if (answer.verdict == Verdict::unknown) continue;
    const OrderSwitches switches = switches_of(answer.level);
    const bool expected = replays(history, switches);
    EXPECT_EQ(answer.verdict == Verdict::satisfied, expected)
        << definition(answer.level).name << "\n"
        << text_of(history);
    if (answer.verdict == Verdict::satisfied) {
      EXPECT_EQ(find_replay_flaw(history, answer.order, switches), std::nullopt)
          << text_of(history);
    }
    ++(expected ? tally.satisfied : tally.violated);
  }
}

TEST(ReplayOrder, EnginesAgreeOnSamples) {
  const std::size_t rounds = test_rounds(1000);
  OrderTally tally;
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    compare_orders(sample_of_seed(seed), tally);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(tally.satisfied, rounds / 4);
  EXPECT_GT(tally.violated, rounds / 4);
}

TEST(ReplayOrder, EnginesAgreeOnAllSmallHistories) {
  OrderTally tally;
  std::size_t number = 0;
  for_each_small_history([&](const TransactionHistory& history) {
    const bool is_wanted = ++number % 5 == 0 || test_rounds(1) > 1;
    if (is_wanted && !testing::Test::HasFailure()) compare_orders(history, tally);
  });
  EXPECT_GT(tally.satisfied, 1000U);
  EXPECT_GT(tally.violated, 1000U);
}

TEST(ReplayOrder, SaysWhatIsWrong) {
  const TransactionHistory history = recorded_sample(
      "0 w(x,1) c 1 2\n"
      "0 r(x,1) c 3 4\n"
      "1 a(l,1) c 5 6\n"
      "1 r(l,[1]) c 7 8\n"
      "2 w(x,9) a 1 9\n");
  const auto flaw = [&](const std::vector<std::uint32_t>& order, OrderSwitches switches = {}) {
    std::vector<TransactionId> ids;
    for (const std::uint32_t id : order) ids.emplace_back(id);
    return find_replay_flaw(history, ids, switches).value_or("none");
  };
  EXPECT_EQ(flaw({0, 1, 2, 3}), "none");
  EXPECT_EQ(flaw({2, 3, 0, 1}, {.session = true}), "none");
  EXPECT_EQ(flaw({2, 3, 0, 1}, {.realtime = true}), "real time is out of order");
  EXPECT_EQ(flaw({1, 0, 2, 3}), "1 reads something else");
  EXPECT_EQ(flaw({0, 1, 3, 2}), "3 reads something else");
  EXPECT_EQ(flaw({0, 1, 2}), "3 is missing");
  EXPECT_EQ(flaw({0, 1, 2, 3, 4}), "4 aborted");
  EXPECT_EQ(flaw({0, 0}), "not an order of the transactions");
  EXPECT_EQ(flaw({7}), "not an order of the transactions");
}

}  // namespace
}  // namespace heddle

// Following transactions against check_history on many small random histories, in every level that
// can be followed; a canary: what is broken on purpose must be noticed; long histories in little
// memory.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/follow/sample_overlapping.h"
#include "check/levels/outside.h"
#include "check/levels/sample_recorded.h"
#include "heddle/follow.h"

namespace heddle {
namespace {

// When its end is known. One of unknown outcome may be given up at once.
Moment known_at(const RecordedTransaction& txn) {
  return txn.outcome == TransactionOutcome::unknown || txn.ended == kNever ? txn.began : txn.ended;
}

// By the moment at which they are known, as far as the order of the sessions allows.
std::vector<std::size_t> feeding_order(const TransactionHistory& history) {
  std::vector<std::size_t> order(history.transactions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (!history.has_times) return order;
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return known_at(history.transactions[i]); });
  return order;
}

TransactionFollower follow_transactions(const TransactionHistory& history,
                                        const FollowOptions& options, bool looks_often,
                                        Moment haste = 0) {
  TransactionFollower follower(history, options);
  const std::vector<std::size_t> order = feeding_order(history);
  std::vector<Moment> watermarks(order.size() + 1, kNever);
  for (std::size_t i = order.size(); i-- > 0;) {
    watermarks[i] = std::min(watermarks[i + 1], history.transactions[order[i]].began);
  }
  std::mt19937_64 random(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    follower.add(history, TransactionId(order[i]));
    if (history.has_times && i + 1 < order.size()) follower.advance(watermarks[i + 1] + haste);
    if (looks_often && random() % 2 == 0) follower.look();
  }
  follower.finish();
  return follower;
}

Verdict checked(TransactionHistory history, const FollowOptions& options) {
  add_outside_writers(history);
  const Result<CheckReport> report =
      check_history(history, {{options.level}, options.session, options.realtime, {}});
  return report->answers.front().verdict;
}

struct TransactionTally {
  std::size_t satisfied = 0;
  std::size_t violated = 0;
  std::size_t different = 0;
  std::size_t open = 0;    // unknown to the follower or to check_history
  std::size_t forgot = 0;  // histories of which something was forgotten
};

constexpr IsolationLevel kLevels[] = {IsolationLevel::strict_serializable,
                                      IsolationLevel::serializable,
                                      IsolationLevel::snapshot,
                                      IsolationLevel::prefix,
                                      IsolationLevel::parallel_snapshot,
                                      IsolationLevel::read_committed};

void compare_with_whole(const TransactionHistory& history, TransactionTally& tally,
                        const std::string& what, Moment haste = 0) {
  for (const IsolationLevel level : kLevels) {
    const FollowOptions options{.level = level, .realtime = history.has_times};
    if (level == IsolationLevel::strict_serializable && !history.has_times) continue;
    const Verdict expected = checked(history, options);
    const TransactionFollower follower = follow_transactions(history, options, true, haste);
    const Verdict found = follower.answer().verdict;
    if (follower.progress().kept < history.transactions.size()) ++tally.forgot;
    if (found == Verdict::unknown || expected == Verdict::unknown) {
      ++tally.open;
      continue;
    }
    ++(expected == Verdict::satisfied ? tally.satisfied : tally.violated);
    if (found == expected) continue;
    ++tally.different;
    if (haste == 0) {
      ADD_FAILURE() << definition(level).name << ": " << to_string(found) << " and not "
                    << to_string(expected) << ", " << what << "\n"
                    << text_of(history);
    }
  }
}

std::size_t transaction_rounds() {
  const char* const wanted = std::getenv("HEDDLE_TEST_ROUNDS");
  return wanted == nullptr ? 100 : std::strtoul(wanted, nullptr, 10);
}

OverlappingShape shape_of_round(std::size_t round) {
  OverlappingShape shape;
  shape.transactions = 4 + static_cast<std::uint32_t>(round % 20);
  shape.sessions = 2 + static_cast<std::uint32_t>(round % 4);
  shape.keys = 1 + static_cast<std::uint32_t>(round % 3);
  if (round % 4 == 3) shape.keys = 12;  // many are written last by several, and never read
  shape.lists = round % 5 == 0;
  shape.values = round % 3 == 0 ? 4 : 0;
  shape.update_percent = round % 7 == 0 ? 0 : 60;
  shape.unknown_percent = round % 2 == 0 ? 25 : 0;
  shape.sessions_go_on = round % 4 == 0;
  shape.aborted_percent = round % 3 == 1 ? 15 : 0;
  shape.mistake_percent = round % 3 == 0 ? 0 : 4;
  return shape;
}

TransactionTally compare_overlapping(Moment haste, bool partial) {
  TransactionTally tally;
  for (std::size_t round = 0; round < transaction_rounds(); ++round) {
    TransactionHistory history = sample_overlapping(shape_of_round(round), round);
    history.partial = partial;
    compare_with_whole(history, tally, fmt::format("round {}", round), haste);
    if (testing::Test::HasFailure()) break;
  }
  return tally;
}

TEST(FollowTransactions, agrees_with_check_history_on_samples) {
  TransactionTally tally;
  for (std::size_t seed = 0; seed < transaction_rounds() && !testing::Test::HasFailure(); ++seed) {
    std::mt19937_64 random(seed);
    const auto choose = [&](std::uint32_t below) {
      return static_cast<std::uint32_t>(random() % below);
    };
    compare_with_whole(sample_recorded(choose, {.transactions = 10}), tally,
                       fmt::format("seed {}", seed));
  }
  EXPECT_GT(tally.satisfied, transaction_rounds());
  EXPECT_GT(tally.violated, transaction_rounds());
}

TEST(FollowTransactions, agrees_with_check_history_on_overlapping_sessions) {
  const TransactionTally tally = compare_overlapping(0, false);
  EXPECT_GT(tally.satisfied, transaction_rounds());
  EXPECT_GT(tally.violated, transaction_rounds() / 2);
  EXPECT_GT(tally.forgot, transaction_rounds());
  EXPECT_LT(tally.open, transaction_rounds() / 4);
}

TEST(FollowTransactions, agrees_with_check_history_where_others_write_too) {
  const TransactionTally tally = compare_overlapping(0, true);
  EXPECT_GT(tally.satisfied, transaction_rounds());
  EXPECT_GT(tally.violated, transaction_rounds() / 4);
}

TEST(FollowTransactions, the_comparison_notices_wrong_watermarks) {
  EXPECT_GT(compare_overlapping(4, false).different, 5U);
}

// What is kept of a long history of ten sessions.
FollowProgress progress_of_long(OverlappingShape shape, std::uint32_t transactions) {
  shape.sessions = 10;
  shape.transactions = transactions;
  const TransactionHistory history = sample_overlapping(shape, 7);
  const TransactionFollower follower = follow_transactions(history, {}, false);
  EXPECT_EQ(follower.answer().verdict, Verdict::satisfied);
  EXPECT_EQ(follower.progress().satisfied, transactions);
  return follower.progress();
}

TEST(FollowTransactions, keeps_little_of_long_registers) {
  const FollowProgress progress =
      progress_of_long({.keys = 50, .operations = 4, .update_percent = 80}, 200'000);
  EXPECT_LE(progress.most_kept, 600U);
}

TEST(FollowTransactions, keeps_little_of_long_lists) {
  const FollowProgress progress = progress_of_long(
      {.keys = 200, .operations = 4, .lists = true, .update_percent = 50, .aborted_percent = 1},
      5'000);
  EXPECT_LE(progress.most_kept, 600U);
}

// Who may still take effect stays, and little else.
TEST(FollowTransactions, keeps_those_of_unknown_outcome) {
  const FollowProgress progress = progress_of_long({.keys = 50,
                                                    .operations = 4,
                                                    .update_percent = 100,
                                                    .unknown_percent = 1,
                                                    .sessions_go_on = false,
                                                    .aborted_percent = 2},
                                                   20'000);
  EXPECT_LE(progress.most_kept, 400U);
}

TEST(FollowTransactions, finds_the_one_mistake) {
  OverlappingShape shape{.sessions = 10, .transactions = 20'000, .keys = 50, .operations = 4};
  TransactionHistory history = sample_overlapping(shape, 7);
  // A read of a value that has long been overwritten.
  const auto is_read = [](const KeyOperation& operation) {
    return operation.action == KeyAction::read && operation.value != kNil;
  };
  const auto early = std::ranges::find_if(history.operations, is_read);
  const auto late = std::find_if(history.operations.begin() + 30'000, history.operations.end(),
                                 [&](const KeyOperation& operation) {
                                   return is_read(operation) && operation.key == early->key;
                                 });
  ASSERT_NE(late, history.operations.end());
  late->value = early->value;
  const TransactionFollower follower = follow_transactions(history, {}, false);
  ASSERT_EQ(follower.answer().verdict, Verdict::violated);
  EXPECT_LT(follower.progress().added, 19'000U);
  EXPECT_LE(follower.progress().most_kept, 600U);
  const Counterexample& example = follower.answer().level_answer.counterexamples.front();
  EXPECT_LE(example.transactions.size(), 3U);
  EXPECT_NE(example.kind, AnomalyKind::unwritten_read);
}

}  // namespace
}  // namespace heddle

// Following calls against check_linearizable on many small random histories; a canary: what is
// broken on purpose must be noticed; and a long history in little memory.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/calls/sample.h"
#include "check/generate/calls.h"
#include "heddle/follow.h"

namespace heddle {
namespace {

enum class Feeding : std::uint8_t { as_it_comes, all_at_once, returns_too_late };

// When each call is known: at its return; crashed ones, which may take as long as they want, at
// once.
std::vector<std::size_t> by_return(const ObjectHistory& history) {
  std::vector<std::size_t> order(history.calls.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const ObjectCall& call = history.calls[i];
    return call.returned == kNever ? call.called : call.returned;
  });
  return order;
}

CallFollower follow(const ObjectHistory& history, Feeding feeding = Feeding::as_it_comes) {
  CallFollower follower(history, {});
  const std::vector<std::size_t> order = by_return(history);
  // The earliest call of those from each place on.
  std::vector<Moment> watermarks(order.size() + 1, kNever);
  for (std::size_t i = order.size(); i-- > 0;) {
    watermarks[i] = std::min(watermarks[i + 1], history.calls[order[i]].called);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (feeding == Feeding::returns_too_late) {
      ObjectHistory slow;
      slow = history;
      if (slow.calls[order[i]].returned != kNever) slow.calls[order[i]].returned += 3;
      follower.add(slow, order[i]);
    } else {
      follower.add(history, order[i]);
    }
    if (feeding == Feeding::as_it_comes) follower.advance(watermarks[i + 1]);
  }
  follower.finish();
  return follower;
}

constexpr ObjectModel kModels[] = {ObjectModel::cas_register,   ObjectModel::key_value,
                                   ObjectModel::counter,        ObjectModel::set,
                                   ObjectModel::queue,          ObjectModel::stack,
                                   ObjectModel::priority_queue, ObjectModel::mutex,
                                   ObjectModel::semaphore,      ObjectModel::bank};

std::uint32_t rounds() { return std::getenv("HEDDLE_SLOW_TESTS") != nullptr ? 3000 : 150; }

// How many of the histories the follower judges like check_linearizable.
struct FollowTally {
  std::size_t satisfied = 0;
  std::size_t violated = 0;
  std::size_t different = 0;
};

FollowTally compare(Feeding feeding) {
  FollowTally tally;
  for (const ObjectModel model : kModels) {
    for (std::uint32_t seed = 0; seed < rounds(); ++seed) {
      SampleShape shape;
      shape.model = model;
      shape.calls = 4 + seed % 8;
      shape.objects = 1 + seed % 2;
      shape.unknown_percent = seed % 3 == 0 ? 30 : 0;
      shape.mistakes = seed % 4 == 0 ? 0 : 1;
      shape.unique_values = seed % 5 == 0;
      const ObjectHistory history = sample_calls(shape, seed);
      const Verdict expected = check_linearizable(history).verdict;
      const CallFollower follower = follow(history, feeding);
      const Verdict found = follower.answer().verdict;
      ++(expected == Verdict::satisfied ? tally.satisfied : tally.violated);
      if (found == expected) continue;
      ++tally.different;
      if (feeding != Feeding::returns_too_late) {
        ADD_FAILURE() << to_string(model) << " seed " << seed << ": " << to_string(found);
      }
    }
  }
  return tally;
}

TEST(FollowCalls, agrees_with_check_linearizable) {
  const FollowTally tally = compare(Feeding::as_it_comes);
  EXPECT_GT(tally.satisfied, 2 * rounds());
  EXPECT_GT(tally.violated, 2 * rounds());
  compare(Feeding::all_at_once);
}

TEST(FollowCalls, the_comparison_notices_wrong_times) {
  EXPECT_GT(compare(Feeding::returns_too_late).different, 10U);
}

TEST(FollowCalls, says_which_call_fits_nowhere) {
  ObjectHistory history;
  const KeyId object = history.objects.of(kNil);
  Moment now = 0;
  for (std::int64_t value = 0; value < 5000; ++value) {
    for (const ObjectFunction function : {ObjectFunction::write, ObjectFunction::read}) {
      ObjectCall call;
      call.function = function;
      call.object = object;
      const bool is_read = function == ObjectFunction::read;
      (is_read ? call.result : call.argument) = Value::number(value);
      if (is_read && value == 4000) call.result = Value::number(3999);
      call.called = ++now;
      call.returned = ++now;
      call.line = static_cast<std::uint32_t>(now);
      history.calls.push_back(call);
    }
  }
  const CallFollower follower = follow(history);
  ASSERT_EQ(follower.answer().verdict, Verdict::violated);
  EXPECT_EQ(follower.progress().satisfied, 8001U);
  const FollowedCalls& answer = follower.answer();
  EXPECT_LT(answer.history.calls.size(), 200U);
  const LinearizabilityPart& part = answer.linearizability.parts.front();
  ASSERT_TRUE(part.stuck);
  EXPECT_EQ(answer.history.calls[*part.stuck].result, Value::number(3999));
  EXPECT_LE(part.core.size(), 3U);
}

TEST(FollowCalls, keeps_little_of_a_long_history) {
  GenerateCallsOptions options;
  options.processes = 10;
  options.calls = 200'000;
  options.objects = 3;
  options.seed = 4;
  for (const bool violation : {false, true}) {
    options.violation = violation;
    const CallFollower follower = follow(generate_calls(options));
    EXPECT_EQ(follower.answer().verdict, violation ? Verdict::violated : Verdict::satisfied);
    EXPECT_EQ(follower.progress().added, 200'000U);
    EXPECT_LE(follower.progress().most_kept, 100U);
  }
}

}  // namespace
}  // namespace heddle

// The near-linear algorithms against the search, and both against all permutations, on many small
// random histories and on all tiny ones; and canaries: what is broken on purpose must be noticed.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/calls/decide.h"
#include "check/calls/model_objects.h"
#include "check/calls/sample.h"
#include "heddle/linearizability.h"

namespace heddle {
namespace {

constexpr std::array<CallOrder, 3> kOrders = {CallOrder::linearizable, CallOrder::sequential,
                                              CallOrder::quiescent};

LinearizabilityAnswer check(const ObjectHistory& history, CallOrder order, bool search_only) {
  LinearizabilityOptions options;
  options.order = order;
  options.search_only = search_only;
  options.shrink = false;
  options.steps = 1'000'000;
  return check_linearizable(history, options);
}

// Tries every order of every choice of the calls that may have happened.
bool has_order(const ObjectHistory& history, CallOrder kept) {
  std::vector<std::uint32_t> certain;
  std::vector<std::uint32_t> optional;
  for (std::uint32_t i = 0; i < history.calls.size(); ++i) {
    if (history.calls[i].outcome == CallOutcome::ok) certain.push_back(i);
    if (history.calls[i].outcome == CallOutcome::unknown) optional.push_back(i);
  }
  for (std::uint32_t choice = 0; choice < 1U << optional.size(); ++choice) {
    std::vector<std::uint32_t> order = certain;
    for (std::size_t i = 0; i < optional.size(); ++i) {
      if ((choice >> i & 1) != 0) order.push_back(optional[i]);
    }
    std::ranges::sort(order);
    do {
      if (!find_witness_flaw(history, kept, std::nullopt, order)) return true;
    } while (std::ranges::next_permutation(order).found);
  }
  return false;
}

// Each witness that an answer holds must be one.
void expect_witnesses(const ObjectHistory& history, const LinearizabilityAnswer& answer,
                      CallOrder kept) {
  for (const LinearizabilityPart& part : answer.parts) {
    if (part.verdict != Verdict::satisfied) continue;
    const auto flaw = find_witness_flaw(history, kept, part.object, part.order);
    EXPECT_FALSE(flaw) << *flaw;
  }
}

struct Tally {
  std::uint32_t satisfied = 0;
  std::uint32_t violated = 0;
  std::uint32_t undecided = 0;  // by the search, within its bounds
  std::uint32_t quick = 0;      // without any step of the search
};

// The two ways of deciding agree on the history, and with all permutations if `exhaustively`.
void expect_agreement(const ObjectHistory& history, CallOrder order, bool exhaustively,
                      Tally& tally) {
  const LinearizabilityAnswer quick = check(history, order, false);
  const LinearizabilityAnswer slow = check(history, order, true);
  if (slow.verdict == Verdict::unknown) {
    ++tally.undecided;
    return;
  }
  ASSERT_EQ(quick.verdict, slow.verdict);
  if (quick.steps == 0) ++tally.quick;
  expect_witnesses(history, quick, order);
  expect_witnesses(history, slow, order);
  const bool is_satisfied = quick.verdict == Verdict::satisfied;
  if (exhaustively) {
    ASSERT_EQ(is_satisfied, has_order(history, order));
  }
  ++(is_satisfied ? tally.satisfied : tally.violated);
}

struct ShapeRow {
  const char* name;
  SampleShape shape;
};

SampleShape shape_of(ObjectModel model, bool unique, std::uint32_t unknown) {
  SampleShape shape;
  shape.model = model;
  shape.unique_values = unique;
  shape.unknown_percent = unknown;
  return shape;
}

std::vector<SampleShape> shapes() {
  std::vector<SampleShape> result;
  for (const ObjectModel model :
       {ObjectModel::cas_register, ObjectModel::key_value, ObjectModel::counter, ObjectModel::set,
        ObjectModel::queue, ObjectModel::stack, ObjectModel::priority_queue, ObjectModel::mutex,
        ObjectModel::semaphore, ObjectModel::bank}) {
    for (const bool unique : {false, true}) {
      for (const std::uint32_t unknown : {0, 25})
        result.push_back(shape_of(model, unique, unknown));
    }
  }
  SampleShape plain = shape_of(ObjectModel::cas_register, true, 20);
  plain.compare_and_set = false;
  SampleShape elements = shape_of(ObjectModel::set, false, 20);
  elements.whole_reads = false;
  for (const std::uint32_t unknown : {0, 25}) {
    result.push_back(shape_of(ObjectModel::key_value, true, unknown));
    result.back().only_appends = true;
  }
  result.push_back(plain);
  result.push_back(elements);
  return result;
}

class LinearAgreement : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Shapes, LinearAgreement, testing::Range<std::size_t>(0, shapes().size()));

TEST_P(LinearAgreement, TinyHistoriesWithAllPermutations) {
  SampleShape shape = shapes()[GetParam()];
  shape.calls = 5;
  Tally tally;
  for (std::uint32_t seed = 0; seed < test_rounds(60); ++seed) {
    shape.mistakes = seed % 3;
    shape.objects = seed % 5 == 0 ? 2 : 1;
    const ObjectHistory history = sample_calls(shape, seed);
    for (const CallOrder order : kOrders) {
      SCOPED_TRACE(testing::Message()
                   << to_string(shape.model) << ", seed " << seed << ", " << to_string(order));
      expect_agreement(history, order, true, tally);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(tally.satisfied, 0U);
  EXPECT_EQ(tally.undecided, 0U);
}

TEST_P(LinearAgreement, SmallHistoriesWithTheSearch) {
  SampleShape shape = shapes()[GetParam()];
  Tally tally;
  for (std::uint32_t seed = 0; seed < test_rounds(400); ++seed) {
    shape.calls = 6 + seed % 13;
    shape.processes = 2 + seed % 4;
    shape.mistakes = seed % 3;
    shape.patience = 1 + seed % 7;
    const ObjectHistory history = sample_calls(shape, seed);
    for (const CallOrder order : {CallOrder::linearizable, CallOrder::quiescent}) {
      // Without times that keep calls apart the search tries too many orders.
      if (order == CallOrder::quiescent && shape.calls > 9) continue;
      SCOPED_TRACE(testing::Message()
                   << to_string(shape.model) << ", seed " << seed << ", " << to_string(order));
      expect_agreement(history, order, false, tally);
      if (HasFatalFailure()) return;
    }
    if (shape.mistakes == 0) {
      EXPECT_EQ(check(history, CallOrder::linearizable, false).verdict, Verdict::satisfied);
    }
  }
  EXPECT_GT(tally.satisfied, 0U);
  EXPECT_LT(tally.undecided, test_rounds(400) / 100);
  if (shape.model != ObjectModel::mutex && shape.model != ObjectModel::semaphore) {
    EXPECT_GT(tally.violated, 0U);
  }
}

// The near-linear algorithms really are what is compared above, for the objects that have one.
TEST_P(LinearAgreement, UniqueValuesNeedNoSearch) {
  using enum ObjectModel;
  SampleShape shape = shapes()[GetParam()];
  const bool has_algorithm = shape.model == cas_register || shape.model == key_value ||
                             shape.model == queue || shape.model == stack ||
                             shape.model == priority_queue;
  if (!has_algorithm || !shape.unique_values) return;
  shape.calls = 12;
  Tally tally;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    shape.mistakes = seed % 3;
    expect_agreement(sample_calls(shape, seed), CallOrder::linearizable, false, tally);
  }
  // Calls that may have taken anything may leave the search to decide.
  const bool is_sure =
      shape.unknown_percent == 0 || shape.model == cas_register || shape.model == key_value;
  EXPECT_GE(tally.quick, is_sure ? 200U : 120U) << to_string(shape.model);
  EXPECT_GT(tally.violated, 20U);
}

// All ways in which the calls and returns of four calls can follow each other.
void for_each_interleaving(const std::function<void(const std::array<ObjectCall, 4>&)>& visit) {
  std::array<int, 8> events = {0, 0, 1, 1, 2, 2, 3, 3};
  do {
    std::array<ObjectCall, 4> calls;
    std::array<bool, 4> is_called{};
    for (std::size_t moment = 0; moment < events.size(); ++moment) {
      const auto i = static_cast<std::size_t>(events[moment]);
      (is_called[i] ? calls[i].returned : calls[i].called) = static_cast<Moment>(moment);
      is_called[i] = true;
    }
    visit(calls);
  } while (std::ranges::next_permutation(events).found);
}

struct TinyModel {
  ObjectModel model;
  ObjectFunction put;
  ObjectFunction take;
};

// Puts 1 and 2 (or 2 and 1), takes twice: each way, with all results.
Tally decide_all_tiny(const TinyModel& row) {
  Tally tally;
  constexpr std::array<Value, 3> kResults = {kNil, Value::number(1), Value::number(2)};
  for_each_interleaving([&](const std::array<ObjectCall, 4>& calls) {
    for (std::size_t results = 0; results < 9; ++results) {
      ObjectHistory history;
      history.model = row.model;
      history.objects.of(kNil);
      history.calls.assign(calls.begin(), calls.end());
      for (std::size_t i = 0; i < 4; ++i) {
        ObjectCall& call = history.calls[i];
        call.process = static_cast<std::uint32_t>(i);
        call.function = i < 2 ? row.put : row.take;
        if (i < 2) call.argument = kResults[i + 1];
      }
      history.calls[2].result = kResults[results / 3];
      history.calls[3].result = kResults[results % 3];
      std::ranges::sort(history.calls, {}, &ObjectCall::called);
      expect_agreement(history, CallOrder::linearizable, results % 4 == 0, tally);
    }
  });
  return tally;
}

TEST(LinearExhaustive, AllHistoriesOfTwoPutsAndTwoTakes) {
  using enum ObjectFunction;
  for (const TinyModel& row :
       {TinyModel{ObjectModel::cas_register, write, read},
        TinyModel{ObjectModel::queue, enqueue, dequeue}, TinyModel{ObjectModel::stack, push, pop},
        TinyModel{ObjectModel::priority_queue, insert, remove_minimum}}) {
    SCOPED_TRACE(to_string(row.model));
    const Tally tally = decide_all_tiny(row);
    EXPECT_EQ(tally.satisfied + tally.violated, 2520U * 9);
    EXPECT_GT(tally.satisfied, 1000U);
    EXPECT_GT(tally.violated, 1000U);
  }
}

// A stack that is taken for a queue, and calls that forget when they returned: the comparison with
// the permutations of the right history must notice both.
TEST(LinearCanary, WrongModelsAndWrongTimesAreNoticed) {
  std::uint32_t wrong_models = 0;
  std::uint32_t wrong_times = 0;
  SampleShape shape = shape_of(ObjectModel::stack, true, 0);
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    shape.mistakes = seed % 2;
    const ObjectHistory history = sample_calls(shape, seed);
    ObjectHistory queue = history;
    queue.model = ObjectModel::queue;
    for (ObjectCall& call : queue.calls) {
      call.function =
          call.function == ObjectFunction::push ? ObjectFunction::enqueue : ObjectFunction::dequeue;
    }
    ObjectHistory timeless = history;
    for (ObjectCall& call : timeless.calls) call.returned = kNever;
    const Verdict right = check(history, CallOrder::linearizable, true).verdict;
    if (check(queue, CallOrder::linearizable, false).verdict != right) ++wrong_models;
    if (check(timeless, CallOrder::linearizable, false).verdict != right) ++wrong_times;
  }
  EXPECT_GT(wrong_models, 20U);
  EXPECT_GT(wrong_times, 10U);
}

// The search's verdict on a core alone.
Verdict decide_core(const ObjectHistory& history, const LinearizabilityPart& part,
                    CallOrder order) {
  std::vector<CallUse> uses(part.core.size(), CallUse::as_it_is);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (std::ranges::binary_search(part.core_optional, part.core[i])) uses[i] = CallUse::optional;
  }
  const std::unique_ptr<CallModel> model = make_model(history);
  BoundMeter meter({});
  return decide_part({history, *model, order, false}, part.core, uses, kNever, meter).verdict;
}

TEST_P(LinearAgreement, CoresFailByThemselvesAndStuckCallsReallyAre) {
  SampleShape shape = shapes()[GetParam()];
  shape.calls = 12;
  shape.mistakes = 2;
  shape.objects = 2;
  for (std::uint32_t seed = 0; seed < test_rounds(80); ++seed) {
    const ObjectHistory history = sample_calls(shape, seed);
    for (const CallOrder order : kOrders) {
      for (const bool search_only : {false, true}) {
        LinearizabilityOptions options;
        options.order = order;
        options.search_only = search_only;
        const LinearizabilityAnswer answer = check_linearizable(history, options);
        for (const LinearizabilityPart& part : answer.parts) {
          if (part.verdict != Verdict::violated) continue;
          SCOPED_TRACE(testing::Message()
                       << to_string(shape.model) << ", seed " << seed << ", " << to_string(order));
          ASSERT_EQ(decide_core(history, part, order), Verdict::violated);
          ASSERT_EQ(part.stuck.has_value() || order == CallOrder::quiescent, true);
        }
      }
    }
  }
}

// What shrinking leaves out must never make a history fail that has an order.
TEST_P(LinearAgreement, ShrinkingNeverBreaksAGoodHistory) {
  SampleShape shape = shapes()[GetParam()];
  shape.calls = 12;
  for (std::uint32_t seed = 0; seed < test_rounds(80); ++seed) {
    const ObjectHistory history = sample_calls(shape, seed);
    const std::unique_ptr<CallModel> model = make_model(history);
    std::vector<std::uint32_t> all;
    std::vector<std::uint32_t> happened;
    for (std::uint32_t i = 0; i < history.calls.size(); ++i) {
      all.push_back(i);
      if (history.calls[i].outcome != CallOutcome::failed) happened.push_back(i);
    }
    for (const CallOrder order : {CallOrder::linearizable, CallOrder::sequential}) {
      PartOutcome outcome;
      outcome.culprits = {all[seed % all.size()]};
      outcome.stuck = happened.empty() ? 0 : happened[seed % happened.size()];
      LinearizabilityPart part;
      explain_violation({history, *model, order, true}, all, outcome, {}, part);
      EXPECT_EQ(part.core, happened) << to_string(shape.model) << " " << seed;
    }
  }
}

// Where the history first fails does not depend on what decides it.
TEST_P(LinearAgreement, StuckCallIsTheSameForBoth) {
  SampleShape shape = shapes()[GetParam()];
  shape.calls = 16;
  shape.mistakes = 2;
  for (std::uint32_t seed = 0; seed < test_rounds(60); ++seed) {
    const ObjectHistory history = sample_calls(shape, seed);
    LinearizabilityOptions options;
    const LinearizabilityAnswer quick = check_linearizable(history, options);
    options.search_only = true;
    const LinearizabilityAnswer slow = check_linearizable(history, options);
    if (slow.verdict != Verdict::violated) continue;
    EXPECT_EQ(quick.parts[0].stuck, slow.parts[0].stuck) << to_string(shape.model) << " " << seed;
  }
}

}  // namespace
}  // namespace heddle

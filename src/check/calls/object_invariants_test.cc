#include "check/calls/object_invariants.h"

#include <optional>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

class Builder {
 public:
  explicit Builder(ObjectModel model) {
    history_.model = model;
    history_.objects.of(kNil);
  }

  Builder& call(ObjectFunction function, std::int64_t argument, Moment called, Moment returned,
                CallOutcome outcome = CallOutcome::ok) {
    ObjectCall call;
    call.function = function;
    call.argument = Value::number(argument);
    call.called = called;
    call.returned = returned;
    call.outcome = outcome;
    history_.calls.push_back(call);
    return *this;
  }
  Builder& read(std::int64_t number, Moment called, Moment returned) {
    call(ObjectFunction::read, 0, called, returned);
    history_.calls.back().result = Value::number(number);
    return *this;
  }
  Builder& read(const std::vector<std::int64_t>& numbers, Moment called, Moment returned) {
    std::vector<Value> values;
    for (const std::int64_t number : numbers) values.push_back(Value::number(number));
    call(ObjectFunction::read, 0, called, returned);
    history_.calls.back().result = {static_cast<std::int64_t>(history_.lists.add(values).index())};
    history_.calls.back().result_is_list = true;
    return *this;
  }
  std::string answer() const {
    const InvariantAnswer found = check_jepsen_invariant(history_);
    return std::string(to_string(found.verdict)) +
           (found.message.empty() ? "" : ": " + found.message);
  }

 private:
  ObjectHistory history_;
};

TEST(ObjectInvariants, CounterReadsLieBetweenWhatWasAndWhatMayBe) {
  using enum ObjectFunction;
  Builder counter(ObjectModel::counter);
  counter.call(add, 2, 0, 1).call(add, 3, 2, kNever, CallOutcome::unknown);
  counter.call(add, 9, 2, 3, CallOutcome::failed).read(2, 4, 5).read(5, 6, 7).read(4, 8, 9);
  EXPECT_EQ(counter.answer(), "satisfied");
  EXPECT_EQ(counter.read(6, 10, 11).answer(),
            "violated: call 6 read 6, which is not between 2 and 5");
  Builder falling(ObjectModel::counter);
  falling.call(add, 5, 0, 1).call(add, -2, 2, 9).read(3, 3, 4).read(5, 5, 6);
  EXPECT_EQ(falling.answer(), "satisfied");
  EXPECT_EQ(falling.read(2, 10, 11).answer(),
            "violated: call 4 read 2, which is not between 3 and 3");
}

TEST(ObjectInvariants, TheLastReadOfASetHasWhatWasAdded) {
  using enum ObjectFunction;
  Builder set(ObjectModel::set);
  set.call(add, 1, 0, 1).call(add, 2, 2, kNever, CallOutcome::unknown).call(add, 3, 3, 4);
  EXPECT_EQ(set.answer(), "unknown: the set was never read");
  EXPECT_EQ(set.read(std::vector<std::int64_t>{1}, 5, 6).answer(),
            "violated: 3 was added, but the last read, call 3, lacks it");
  EXPECT_EQ(set.read({1, 3}, 7, 8).answer(), "satisfied");
  EXPECT_EQ(set.read({1, 2, 3}, 9, 10).answer(), "satisfied");
  EXPECT_EQ(set.read({1, 3, 4}, 11, 12).answer(),
            "violated: the last read, call 6, has 4, which nobody added");
}

TEST(ObjectInvariants, BanksKeepTheirTotal) {
  Builder bank(ObjectModel::bank);
  bank.read({0, 10, 1, 10}, 0, 1).read({0, 5, 1, 15}, 2, 3);
  EXPECT_EQ(bank.answer(), "satisfied");
  EXPECT_EQ(Builder(bank).read({0, 5, 1, 14}, 4, 5).answer(),
            "violated: call 2 read a total of 19 instead of 20");
  EXPECT_EQ(Builder(bank).read({0, -5, 1, 25}, 4, 5).answer(),
            "violated: call 2 read a negative balance");
  Builder debtor(ObjectModel::bank);
  EXPECT_EQ(debtor.read({0, -10, 1, 30}, 0, 1).read({0, 30, 1, -10}, 2, 3).answer(), "satisfied");
}

TEST(ObjectInvariants, OtherObjectsHaveNone) {
  EXPECT_EQ(Builder(ObjectModel::queue).answer(), "unknown: there is no such check for a queue");
}

}  // namespace
}  // namespace heddle

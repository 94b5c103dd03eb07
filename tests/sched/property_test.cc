// The essay's parallel property: a counter whose increments can get lost.
#include <atomic>
#include <mutex>
#include <string>

#include "heddle/sched_property.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::Options;
using heddle::sched::Property;

class RacyCounter {
 public:
  void increment() { value_.store(value_.load() + 1); }
  int get() const { return value_.load(); }

 private:
  std::atomic<int> value_ = 0;
};

class LockedCounter {
 public:
  void increment() {
    const std::lock_guard lock(mutex_);
    ++value_;
  }
  int get() {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  std::mutex mutex_;
  int value_ = 0;
};

template <class Counter>
Answer check_counter(std::uint64_t seed) {
  Property<Counter, int> property;
  property.command(
      "increment", [](Counter& counter) { counter.increment(); }, [](int& model) { ++model; });
  property.command(
      "get", [](Counter& counter) { return counter.get(); }, [](int& model) { return model; });
  return heddle::sched::check(property, {}, {.executions = 20'000, .seconds = 60, .seed = seed});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// What a report says of the program: all up to the diagram.
std::string program_of(const std::string& report) { return report.substr(0, report.find("┌")); }

void a_lost_increment_is_shrunk() {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Answer answer = check_counter<RacyCounter>(seed);
    const std::string program = program_of(answer.failure.report);
    expect(!answer.passed && answer.failure.kind == "not linearizable", answer.failure.kind);
    const bool small = count(program, "increment()") == 2 && count(program, "get()") == 1;
    const bool one = answer.failure.report.find("one departure") != std::string::npos;
    expect(small && one, "two increments, one get, one preemption:\n" + answer.failure.report);
  }
}

void what_is_locked_passes() {
  const Answer answer = check_counter<LockedCounter>(1);
  expect(answer.passed, answer.failure.report);
}

void without_a_model_the_object_says_what_is_right() {
  Property<RacyCounter> racy;
  racy.command("increment", [](RacyCounter& counter) { counter.increment(); });
  racy.command("get", [](RacyCounter& counter) { return counter.get(); });
  expect(!heddle::sched::check(racy).passed, "the lost increment is found without a model");
  Property<LockedCounter> locked;
  locked.command("increment", [](LockedCounter& counter) { counter.increment(); });
  locked.command("get", [](LockedCounter& counter) { return counter.get(); });
  const Answer answer = heddle::sched::check(locked, {}, {.executions = 5000});
  expect(answer.passed, answer.failure.report);
}

}  // namespace

int main() {
  a_lost_increment_is_shrunk();
  what_is_locked_passes();
  without_a_model_the_object_says_what_is_right();
  return expectations_met();
}

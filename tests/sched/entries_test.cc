// What a test can say of itself: names, invariants, labels, points, output, what must fail.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::Options;
using heddle::sched::Outcome;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void names_are_told() {
  const Answer answer = check(
      [] {
        std::atomic<int> balance = 0;
        heddle::sched::name(balance, "balance");
        std::thread other([&] { balance.store(balance.load() + 1); });
        balance.store(balance.load() + 1);
        other.join();
        if (balance != 2) heddle::sched::fail("a payment is lost");
      },
      {.quiet = true});
  expect(contains(answer.failure.report, "(balance)"), answer.failure.report);
}

void invariants_hold_after_every_step() {
  const auto body = [](bool at_once) {
    std::atomic<int> one = 5;
    std::atomic<int> two = 5;
    const heddle::sched::Invariant sum([&] { return one + two == 10; }, "the sum is kept");
    std::thread other([&] {
      if (at_once) return;
      one.fetch_sub(1);
      two.fetch_add(1);
    });
    other.join();
  };
  const Answer broken = check([&] { body(false); }, {.quiet = true});
  expect(broken.failure.kind == "broken invariant", broken.failure.kind);
  expect(broken.failure.what == "the sum is kept", broken.failure.what);
  expect(check([&] { body(true); }).passed, "nothing is moved");
}

void labels_must_be_reached() {
  const auto body = [] {
    std::atomic<bool> set = false;
    std::thread other([&] { set = true; });
    if (set) heddle::sched::reachable("late");
    other.join();
  };
  expect(check(body, {.reachable = {"late"}}).passed, "the label is reached");
  const Answer answer = check(body, {.reachable = {"late", "never"}, .quiet = true});
  expect(answer.failure.kind == "not reached" && contains(answer.failure.what, "never"),
         answer.failure.what);
}

// A counter outside of memory, as a file would be: only the points say where it is touched.
__attribute__((no_sanitize("thread"))) void add_outside(volatile int* counter) {
  const int value = *counter;
  heddle::sched::point("between", const_cast<int*>(counter));
  *counter = value + 1;
}

void points_are_steps() {
  const Answer answer = check(
      [] {
        volatile int outside = 0;
        std::thread other([&] { add_outside(&outside); });
        add_outside(&outside);
        other.join();
        if (outside != 2) heddle::sched::fail("an increment is lost");
      },
      {.races = heddle::sched::Races::find, .quiet = true});
  expect(!answer.passed, "the point lets another thread go on");
}

void choices_are_all_made() {
  bool made[4] = {};
  check([&] { made[heddle::sched::choose(4)] = true; },
        {.strategy = heddle::sched::Strategy::depth_first});
  expect(made[0] && made[1] && made[2] && made[3], "depth first makes each choice");
}

void output_is_told_once() {
  const Answer answer = check(
      [] {
        std::puts("hello");
        std::thread other([] {});
        other.join();
        heddle::sched::fail("always");
      },
      {.quiet = true});
  const std::size_t first = answer.failure.report.find("hello");
  expect(first != std::string::npos &&
             answer.failure.report.find("hello", first + 1) == std::string::npos,
         answer.failure.report);
}

void what_must_fail_fails() {
  const auto racy = [] {
    int counter = 0;
    std::thread other([&] { ++counter; });
    ++counter;
    other.join();
  };
  expect(heddle::sched::expect_failure(racy).passed, "the race is found");
  expect(!heddle::sched::expect_failure([] {}).passed, "nothing fails");
}

void a_test_that_depends_on_earlier_executions_is_told() {
  std::uint64_t executions = 0;
  const Answer answer = check(
      [&] {
        std::atomic<int> value = 0;
        for (std::uint64_t i = executions++ % 2; i < 2; ++i) ++value;
      },
      {.quiet = true});
  expect(answer.failure.kind == "not deterministic", answer.failure.kind);
}

void a_detached_thread_may_be_left_waiting() {
  const Answer answer = check([] {
    static std::mutex mutex;
    static std::condition_variable condition;
    std::thread([] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [] { return false; });
    }).detach();
  });
  expect(answer.passed, answer.failure.kind);
}

void functions_run_in_parallel() {
  std::set<int> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::atomic<int> last = 0;
    const Outcome outcome = heddle::sched::run_parallel(seed, [&] { last = 1; }, [&] { last = 2; });
    expect(outcome.passed, outcome.failure.what);
    seen.insert(last);
  }
  expect(seen == std::set<int>{1, 2}, "either of them comes last");
}

void ignored_accesses_are_left_alone() {
  int statistics = 0;
  const Answer answer = check([&] {
    const auto count = [&] {
      const heddle::sched::Ignore ignore;
      ++statistics;
    };
    std::thread other(count);
    count();
    other.join();
  });
  expect(answer.passed, answer.failure.kind);
}

}  // namespace

int main() {
  names_are_told();
  invariants_hold_after_every_step();
  labels_must_be_reached();
  points_are_steps();
  choices_are_all_made();
  output_is_told_once();
  what_must_fail_fails();
  a_test_that_depends_on_earlier_executions_is_told();
  a_detached_thread_may_be_left_waiting();
  functions_run_in_parallel();
  ignored_accesses_are_left_alone();
  return expectations_met();
}

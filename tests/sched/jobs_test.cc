// What is found, and in which execution, does not depend on how many processes look for it.
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::fail;
using heddle::sched::Isolate;
using heddle::sched::Options;
using heddle::sched::Races;
using heddle::sched::Strategy;

// The first thread must be last, and the others in one order: seldom.
void comes_seldom() {
  std::atomic<int> came = 0;
  std::vector<std::thread> threads;
  for (int number = 1; number <= 3; ++number) {
    threads.emplace_back([&came, number] {
      came = came * 10 + number;
      came = came + 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (came == 321) fail("all of them came in the other order");
}

// Which memory is shared has to be found out first.
void has_plain_memory() {
  auto shared = std::make_unique<std::vector<int>>(8, 0);
  std::thread one([&] {
    for (int& value : *shared) value += 1;
  });
  std::thread other([&] {
    for (std::size_t i = 8; i-- > 0;) (*shared)[i] *= 3;
  });
  one.join();
  other.join();
  if ((*shared)[3] == 3 && (*shared)[4] == 1) fail("they met in the middle");
}

void a_lost_wake_up() {
  std::mutex mutex;
  std::atomic<bool> ready = false;
  std::atomic<int> spins = 0;
  std::thread other([&] {
    const std::lock_guard lock(mutex);
    ready = spins == 2;
  });
  for (int i = 0; i < 3; ++i) {
    ++spins;
    const std::lock_guard lock(mutex);
  }
  other.join();
  if (ready) fail("it came between");
}

// A token says which of the program's tests it is of, too.
std::string without_token(const Answer& answer) {
  return answer.failure.report.substr(0, answer.failure.report.find("again: HEDDLE_REPLAY="));
}

using Body = void (*)();

void finds_the_same(Body body, const Options& options) {
  Options alone = options;
  alone.jobs = 1;
  const Answer expected = check([body] { body(); }, alone);
  expect(!expected.passed, "it is found: " + expected.coverage);
  for (const std::uint32_t jobs : {2, 3}) {
    Options several = options;
    several.jobs = jobs;
    const Answer answer = check([body] { body(); }, several);
    const std::string with = std::to_string(jobs) + " jobs: ";
    expect(
        answer.executions == expected.executions,
        with + std::to_string(answer.executions) + " and " + std::to_string(expected.executions));
    expect(without_token(answer) == without_token(expected), with + answer.failure.report);
  }
}

void the_first_failure_wins() {
  for (const Body body : {comes_seldom, has_plain_memory, a_lost_wake_up}) {
    for (const Strategy strategy : {Strategy::random, Strategy::pct, Strategy::pos}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        finds_the_same(body, {.strategy = strategy,
                              .executions = 400'000,
                              .seconds = 120,
                              .seed = seed,
                              .races = Races::find,
                              .quiet = true});
      }
    }
    finds_the_same(body, {.seconds = 120, .races = Races::find, .quiet = true});
  }
  finds_the_same(
      a_lost_wake_up,
      {.strategy = Strategy::random, .seconds = 120, .isolate = Isolate::process, .quiet = true});
}

void as_many_are_made() {
  for (const std::uint32_t jobs : {1, 2, 5}) {
    const Answer answer = check(
        [] {
          std::atomic<int> value = 0;
          std::thread other([&] { value = 1; });
          if (value == 1) heddle::sched::reachable("late");
          other.join();
        },
        {.strategy = Strategy::random,
         .executions = 10'001,
         .seconds = 60,
         .jobs = jobs,
         .reachable = {"late"}});
    expect(answer.passed && answer.executions == 10'001, std::to_string(answer.executions));
    expect(answer.coverage == "10001 random walks", answer.coverage);
  }
}

}  // namespace

int main() {
  the_first_failure_wins();
  as_many_are_made();
  return expectations_met();
}

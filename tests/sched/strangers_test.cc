// Threads that a test did not create go on as without heddle; what they do to objects of the test
// is told.
#include <atomic>
#include <string>
#include <thread>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;

int* given = nullptr;  // to the stranger, which adds to it
bool is_done = false;

// The scheduler knows nothing of this wait, nor of what the two wait for.
__attribute__((noinline, no_sanitize("thread"))) void give_and_wait(int* number) {
  __atomic_store_n(&is_done, false, __ATOMIC_RELAXED);
  __atomic_store_n(&given, number, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&is_done, __ATOMIC_ACQUIRE)) continue;
}

__attribute__((noinline, no_sanitize("thread"))) int* take_given() {
  return __atomic_exchange_n(&given, nullptr, __ATOMIC_ACQUIRE);
}

__attribute__((noinline, no_sanitize("thread"))) void say_done() {
  __atomic_store_n(&is_done, true, __ATOMIC_RELEASE);
}

void add_one(int& number) { number = number + 1; }

Answer check_with(int* (*object)()) {
  return heddle::sched::check(
      [object] {
        give_and_wait(object());
        std::thread other([] {});
        other.join();
      },
      {.executions = 50});
}

}  // namespace

int main() {
  std::atomic<bool> ends = false;
  std::thread stranger([&] {
    while (!ends) {
      if (int* number = take_given()) {
        add_one(*number);
        say_done();
      }
    }
  });
  static int outside = 0;
  const Answer apart = check_with([] { return &outside; });
  expect(apart.passed, "an object that is not the test's: " + apart.failure.what);
  expect(outside >= 2, "the stranger has gone on");
  const Answer together = check_with([] { return new int(1); });
  expect(together.failure.kind == "misuse", "an object of the test: " + together.failure.kind);
  expect(together.failure.what.starts_with("a thread that the test did not create touches"),
         together.failure.what);
  ends = true;
  stranger.join();
  return expectations_met();
}

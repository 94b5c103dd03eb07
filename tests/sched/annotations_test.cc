// What libraries tell ThreadSanitizer of themselves is understood.
#include <atomic>
#include <functional>
#include <mutex>
#include <sanitizer/tsan_interface.h>
#include <string>
#include <thread>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;

Answer tried(const std::function<void()>& body) {
  return heddle::sched::check([&body] { body(); }, {.executions = 2000, .seconds = 20});
}

void passes(const char* what, const std::function<void()>& body) {
  const Answer answer = tried(body);
  expect(answer.passed,
         std::string(what) + ": " + answer.failure.kind + ": " + answer.failure.what);
}

void require(bool condition, const char* what) {
  if (!condition) heddle::sched::fail(what);
}

// A lock of a library that is compiled without the flag, and tells of itself or not.
class OwnLock {
 public:
  explicit OwnLock(bool tells) : tells_(tells) {}

  __attribute__((noinline, no_sanitize("thread"))) void lock() {
    if (tells_) __tsan_mutex_pre_lock(this, 0);
    while (__atomic_exchange_n(&locked_, true, __ATOMIC_ACQUIRE)) std::this_thread::yield();
    if (tells_) __tsan_mutex_post_lock(this, 0, 0);
  }
  __attribute__((noinline, no_sanitize("thread"))) void unlock() {
    if (tells_) __tsan_mutex_pre_unlock(this, 0);
    __atomic_store_n(&locked_, false, __ATOMIC_RELEASE);
    if (tells_) __tsan_mutex_post_unlock(this, 0);
  }

 private:
  bool tells_;
  bool locked_ = false;
};

void count_with(bool tells) {
  OwnLock lock(tells);
  int count = 0;
  const auto add = [&] {
    const std::lock_guard one(lock);
    ++count;
  };
  std::thread other(add);
  add();
  other.join();
  require(count == 2, "both are counted");
}

void annotations() {
  passes("a lock that tells of itself", [] { count_with(true); });
  const Answer silent = tried([] { count_with(false); });
  expect(silent.failure.kind == "data race", "a lock that tells nothing: " + silent.failure.kind);
  passes("a flag that tells of itself", [] {
    int value = 0;
    char place = 0;
    std::atomic<bool> set = false;
    std::thread other([&] {
      value = 1;
      __tsan_release(&place);
      set.store(true, std::memory_order_relaxed);
    });
    while (!set.load(std::memory_order_relaxed)) std::this_thread::yield();
    __tsan_acquire(&place);
    require(value == 1, "what came before is seen");
    other.join();
  });
}

}  // namespace

int main() {
  annotations();
  return expectations_met();
}

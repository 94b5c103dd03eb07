// Stacks among which threads change by themselves, as their libraries tell of them.
#include <atomic>
#include <functional>
#include <memory>
#include <sanitizer/tsan_interface.h>
#include <string>
#include <thread>
#include <ucontext.h>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;

Answer tried(const std::function<void()>& body) {
  return heddle::sched::check([&body] { body(); },
                              {.executions = 3000, .seconds = 60, .quiet = true});
}

// A fiber that gives its thread back now and then, as those of libraries do.
class Fiber {
 public:
  Fiber(std::function<void(Fiber&)> run, bool tells)
      : run_(std::move(run)), tells_(tells), stack_(std::size_t{256} << 10) {
    if (tells_) {
      own_ = __tsan_create_fiber(0);
      __tsan_set_fiber_name(own_, "worker");
    }
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.data();
    context_.uc_stack.ss_size = stack_.size();
    context_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&context_, reinterpret_cast<void (*)()>(start), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
  }
  ~Fiber() {
    if (tells_) __tsan_destroy_fiber(own_);
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  __attribute__((noinline, no_sanitize("thread"))) void resume() {
    if (tells_) {
      resumer_ = __tsan_get_current_fiber();
      __tsan_switch_to_fiber(own_, 0);
    }
    swapcontext(&back_, &context_);
  }
  __attribute__((noinline, no_sanitize("thread"))) void yield() {
    if (tells_) __tsan_switch_to_fiber(resumer_, 0);
    swapcontext(&context_, &back_);
  }

 private:
  static void start(unsigned high, unsigned low) {
    auto* self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
    self->run_(*self);
    for (;;) self->yield();
  }

  std::function<void(Fiber&)> run_;
  bool tells_;
  std::vector<char> stack_;
  ucontext_t context_{};
  ucontext_t back_{};
  void* own_ = nullptr;
  void* resumer_ = nullptr;
};

// The second thread goes on with what the first has begun, and nothing but the fiber orders them.
void goes_on_elsewhere(bool tells) {
  auto kept = std::make_unique<int>(0);
  int& count = *kept;
  std::atomic<bool> is_left = false;
  Fiber fiber(
      [&count](Fiber& self) {
        ++count;
        self.yield();
        ++count;
      },
      tells);
  std::thread other([&] {
    while (!is_left.load(std::memory_order_relaxed)) std::this_thread::yield();
    fiber.resume();
  });
  fiber.resume();
  is_left.store(true, std::memory_order_relaxed);
  other.join();
  if (count != 2) heddle::sched::fail("it went on");
}

// Locks and atomics are taken on a fiber as anywhere, and threads are preempted there.
void two_threads_have_fibers() {
  std::atomic<int> shared = 0;
  const auto run = [&shared] {
    Fiber fiber(
        [&shared](Fiber& self) {
          const int before = shared;
          self.yield();
          shared = before + 1;
        },
        true);
    fiber.resume();
    fiber.resume();
  };
  std::thread other(run);
  run();
  other.join();
  if (shared != 2) heddle::sched::fail("an increment is lost");
}

}  // namespace

int main() {
  const Answer told = tried([] { goes_on_elsewhere(true); });
  expect(told.passed, told.failure.kind + ": " + told.failure.what);
  const Answer untold = tried([] { goes_on_elsewhere(false); });
  expect(!untold.passed && untold.failure.kind == "data race",
         untold.failure.kind + ": " + untold.failure.what);
  const Answer preempted = tried(two_threads_have_fibers);
  expect(!preempted.passed && preempted.failure.what == "an increment is lost",
         preempted.failure.kind + ": " + preempted.failure.what);
  return expectations_met();
}

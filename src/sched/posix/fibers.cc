// Fibers, as their libraries tell ThreadSanitizer of them (LLVM:
// compiler-rt/include/sanitizer/tsan_interface.h): stacks among which a thread changes by itself,
// and which may go on in another one. What a fiber has done before happens before what it does
// next, whoever it runs on, and what a thread has done before it changes to a fiber happens before
// what that one does. A thread's accesses are in order whatever stack it is on, so that flag 1,
// which asks for a change that orders nothing, makes a difference only to fibers of two threads.
#include <cstddef>
#include <cstdint>
#include <deque>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

// A fiber is known by its number from 1, so that it is the same in each execution.
struct Fibers {
  std::uint64_t execution = 0;
  std::deque<VectorClock> clocks;  // what each knew when it was left
};

constinit Fibers* known_fibers = nullptr;

Fibers& fibers() {
  if (known_fibers == nullptr) known_fibers = new Fibers();
  Fibers& known = *known_fibers;
  if (known.execution != engine().number()) {
    known.execution = engine().number();
    known.clocks.clear();
  }
  return known;
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): the handle is a number, which nobody follows.
void* to_handle(std::size_t number) { return reinterpret_cast<void*>(number); }

// 0: none of this execution.
std::size_t to_number(const void* fiber) {
  const auto number = reinterpret_cast<std::size_t>(fiber);
  return number <= fibers().clocks.size() ? number : 0;
}

std::size_t make_fiber() {
  engine().tell(fibers().clocks.emplace_back());
  return fibers().clocks.size();
}

// The thread's own stack is a fiber, too.
std::size_t current_fiber() {
  std::size_t& fiber = engine().running().fiber;
  if (fiber == 0) fiber = make_fiber();
  return fiber;
}

void change_to(const void* fiber) {
  const std::size_t from = current_fiber();
  const std::size_t to = to_number(fiber);
  if (to == 0) return;
  engine().tell(fibers().clocks[from - 1]);
  engine().learn(fibers().clocks[to - 1]);
  engine().running().fiber = to;
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are ThreadSanitizer's.
extern "C" {
#pragma GCC visibility push(default)

void* __tsan_get_current_fiber() {
  if (!runtime::is_on_task()) return nullptr;
  const runtime::InRuntime inside;
  return runtime::to_handle(runtime::current_fiber());
}

void* __tsan_create_fiber(unsigned) {
  if (!runtime::is_on_task()) return nullptr;
  const runtime::InRuntime inside;
  return runtime::to_handle(runtime::make_fiber());
}

void __tsan_switch_to_fiber(void* fiber, unsigned) {
  if (!runtime::is_on_task()) return;
  const runtime::InRuntime inside;
  runtime::change_to(fiber);
}

// A number is not used again in an execution, and a thread's report has its columns, not names.
void __tsan_destroy_fiber(void*) {}
void __tsan_set_fiber_name(void*, const char*) {}

#pragma GCC visibility pop
}
// NOLINTEND

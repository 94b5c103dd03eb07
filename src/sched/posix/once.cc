// What is done once: pthread_once, std::call_once, and the first call of a function with a static
// object.
#include <cstdint>
#include <pthread.h>
#include <sched.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(pthread_once_t*, void (*)())> real_once("pthread_once");

// Whether the running task is to do it: nobody has, or is about to.
bool begin_once(const void* flag, const void* caller) {
  SyncObject& object = engine().object(flag);
  // Nothing that another thread does first makes a difference.
  if (object.done) {
    engine().learn(object.clock);
    return false;
  }
  const TaskId task = engine().running().id;
  object.wanted |= only(task);
  engine().request({.kind = OperationKind::once,
                    .object = reinterpret_cast<std::uintptr_t>(flag),
                    .caller = caller},
                   object.owner == kNobody);
  object.wanted &= ~only(task);
  engine().learn(object.clock);
  if (object.done) return false;
  object.owner = task;
  engine().disable(object.wanted);
  return true;
}

void end_once(const void* flag, bool done) {
  SyncObject& object = engine().object(flag);
  object.owner = kNobody;
  object.done = done;
  engine().tell(object.clock);
  engine().enable(object.wanted);
  engine().changed(reinterpret_cast<std::uintptr_t>(flag));
}

// Done before the test, where nobody's turn matters: as the standard library's own facets are. That
// is what stands in the flag (the C library's nptl/pthreadP.h), which executions do not write.
bool was_done_before(const pthread_once_t* flag) {
  constexpr int kDone = 2;
  return __atomic_load_n(flag, __ATOMIC_ACQUIRE) == kDone;
}

int do_once(pthread_once_t* flag, void (*function)(), const void* caller) {
  if (was_done_before(flag)) return 0;
  bool mine = false;
  {
    const InRuntime inside;
    mine = begin_once(flag, caller);
  }
  if (!mine) return 0;
  try {
    function();
  } catch (...) {
    const InRuntime inside;
    end_once(flag, false);
    throw;
  }
  const InRuntime inside;
  end_once(flag, true);
  return 0;
}

// The bytes of a guard (Itanium C++ ABI, 3.3.3): the first says that the object is there. The
// second is ours: a thread outside of tests is making it.
struct Guard {
  std::uint8_t made;
  std::uint8_t being_made;
};

Guard* guard_of(std::uint64_t* guard) { return reinterpret_cast<Guard*>(guard); }

int acquire_guard(Guard* guard) {
  for (;;) {
    if (__atomic_load_n(&guard->made, __ATOMIC_ACQUIRE) != 0) return 0;
    std::uint8_t free = 0;
    if (__atomic_compare_exchange_n(&guard->being_made, &free, 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      return 1;
    }
    sched_yield();
  }
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int pthread_once(pthread_once_t* flag, void (*function)()) {
  if (!runtime::is_on_task()) return runtime::real_once(flag, function);
  return runtime::do_once(flag, function, __builtin_return_address(0));
}

int __cxa_guard_acquire(std::uint64_t* guard) {
  if (!runtime::is_on_task()) return runtime::acquire_guard(runtime::guard_of(guard));
  const runtime::InRuntime inside;
  if (runtime::guard_of(guard)->made != 0) return 0;
  return runtime::begin_once(guard, __builtin_return_address(0)) ? 1 : 0;
}

void __cxa_guard_release(std::uint64_t* guard) {
  if (!runtime::is_on_task()) {
    __atomic_store_n(&runtime::guard_of(guard)->being_made, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&runtime::guard_of(guard)->made, 1, __ATOMIC_RELEASE);
    return;
  }
  const runtime::InRuntime inside;
  runtime::engine().note_global(reinterpret_cast<std::uintptr_t>(guard), 1, false, true);
  runtime::guard_of(guard)->made = 1;
  // Whoever only looks at the first byte learns what this thread knows.
  runtime::engine().tell(
      runtime::engine().atomic_clocks().get(reinterpret_cast<std::uintptr_t>(guard)).clock);
  runtime::end_once(guard, true);
}

void __cxa_guard_abort(std::uint64_t* guard) {
  if (!runtime::is_on_task()) {
    __atomic_store_n(&runtime::guard_of(guard)->being_made, 0, __ATOMIC_RELEASE);
    return;
  }
  const runtime::InRuntime inside;
  runtime::end_once(guard, false);
}

#pragma GCC visibility pop
}
// NOLINTEND

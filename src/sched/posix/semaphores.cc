// Semaphores and barriers of POSIX.
#include <cerrno>
#include <pthread.h>
#include <semaphore.h>

#include "sched/posix/clock_times.h"
#include "sched/posix/interruptions.h"
#include "sched/posix/locks.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(sem_t*, int, unsigned)> real_sem_init("sem_init");
LibraryFunction<int(sem_t*)> real_sem_wait("sem_wait");
LibraryFunction<int(sem_t*)> real_sem_try_wait("sem_trywait");
LibraryFunction<int(sem_t*, const timespec*)> real_sem_timed_wait("sem_timedwait");
LibraryFunction<int(sem_t*, clockid_t, const timespec*)> real_sem_clock_wait("sem_clockwait");
LibraryFunction<int(sem_t*)> real_sem_post("sem_post");
LibraryFunction<int(sem_t*, int*)> real_sem_get_value("sem_getvalue");
LibraryFunction<int(pthread_barrier_t*)> real_barrier_wait("pthread_barrier_wait");
LibraryFunction<int(pthread_barrier_t*, const pthread_barrierattr_t*, unsigned)> real_barrier_init(
    "pthread_barrier_init");

// A semaphore that the test did not make itself begins with what stands in it.
SyncObject& find_semaphore(sem_t* semaphore) {
  SyncObject& object = engine().object(semaphore);
  if (!object.known) {
    int value = 0;
    real_sem_get_value(semaphore, &value);
    object.known = true;
    object.count = value;
  }
  return object;
}

void refresh_semaphore(SyncObject& semaphore) {
  if (semaphore.count > 0) {
    engine().enable(semaphore.wanted);
  } else {
    engine().disable(semaphore.wanted);
  }
}

int fail_with(int error) {
  errno = error;
  return -1;
}

int take_one(sem_t* semaphore, std::optional<std::uint64_t> deadline, const void* caller) {
  const InRuntime inside;
  SyncObject& object = find_semaphore(semaphore);
  const TaskId task = engine().running().id;
  object.wanted |= only(task);
  const Announcement wait{.kind = OperationKind::semaphore_wait,
                          .object = reinterpret_cast<std::uintptr_t>(semaphore),
                          .caller = caller};
  const Interruptible interruptible(Interruption::unless_restarted);
  const bool came = engine().request_cancelably(wait, object.count > 0, deadline);
  object.wanted &= ~only(task);
  engine().end_if_cancelled();
  if (interruptible.came() && object.count == 0) return fail_with(EINTR);
  if (!came) return fail_with(ETIMEDOUT);
  --object.count;
  refresh_semaphore(object);
  engine().learn(object.clock);
  return 0;
}

int try_take_one(sem_t* semaphore, const void* caller) {
  const InRuntime inside;
  SyncObject& object = find_semaphore(semaphore);
  const auto address = reinterpret_cast<std::uintptr_t>(semaphore);
  engine().step({.kind = OperationKind::semaphore_wait, .object = address, .caller = caller});
  if (object.count == 0) {
    engine().tried_in_vain(address, 0, caller);
    return fail_with(EAGAIN);
  }
  --object.count;
  refresh_semaphore(object);
  engine().learn(object.clock);
  return 0;
}

int give_one(sem_t* semaphore, const void* caller) {
  const InRuntime inside;
  SyncObject& object = find_semaphore(semaphore);
  const auto address = reinterpret_cast<std::uintptr_t>(semaphore);
  engine().step({.kind = OperationKind::semaphore_post, .object = address, .caller = caller});
  ++object.count;
  engine().tell_also(object.clock);
  refresh_semaphore(object);
  engine().changed(address);
  return 0;
}

int meet(pthread_barrier_t* barrier, const void* caller) {
  const InRuntime inside;
  SyncObject& object = engine().object(barrier);
  const TaskId task = engine().running().id;
  const Announcement meet{.kind = OperationKind::barrier_wait,
                          .object = reinterpret_cast<std::uintptr_t>(barrier),
                          .caller = caller};
  engine().step(meet);
  engine().tell_also(object.clock);
  if (static_cast<std::int64_t>(object.waiters.size()) + 1 < object.limit) {
    object.waiters.push_back(task);
    engine().request(meet, false);
    engine().learn(object.clock);
    return 0;
  }
  for (const TaskId other : object.waiters) engine().enable(only(other));
  object.waiters.clear();
  engine().learn(object.clock);
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int sem_init(sem_t* semaphore, int shared, unsigned value) {
  if (runtime::is_on_task()) {
    const runtime::InRuntime inside;
    runtime::engine().object(semaphore).clear();
  }
  return runtime::real_sem_init(semaphore, shared, value);
}

int sem_wait(sem_t* semaphore) {
  if (!runtime::is_on_task()) return runtime::real_sem_wait(semaphore);
  return runtime::take_one(semaphore, std::nullopt, __builtin_return_address(0));
}

int sem_trywait(sem_t* semaphore) {
  if (!runtime::is_on_task()) return runtime::real_sem_try_wait(semaphore);
  return runtime::try_take_one(semaphore, __builtin_return_address(0));
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_sem_timed_wait(semaphore, until);
  return runtime::take_one(semaphore, runtime::deadline_of(until), __builtin_return_address(0));
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_sem_clock_wait(semaphore, clock, until);
  return runtime::take_one(semaphore, runtime::deadline_of(until), __builtin_return_address(0));
}

int sem_post(sem_t* semaphore) {
  if (!runtime::is_on_task()) return runtime::real_sem_post(semaphore);
  return runtime::give_one(semaphore, __builtin_return_address(0));
}

int sem_getvalue(sem_t* semaphore, int* value) {
  if (!runtime::is_on_task()) return runtime::real_sem_get_value(semaphore, value);
  const runtime::InRuntime inside;
  *value = static_cast<int>(runtime::find_semaphore(semaphore).count);
  return 0;
}

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t* attributes,
                         unsigned count) {
  if (runtime::is_on_task()) {
    const runtime::InRuntime inside;
    runtime::SyncObject& object = runtime::engine().object(barrier);
    object.clear();
    object.limit = count;
  }
  return runtime::real_barrier_init(barrier, attributes, count);
}

int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!runtime::is_on_task()) return runtime::real_barrier_wait(barrier);
  return runtime::meet(barrier, __builtin_return_address(0));
}

#pragma GCC visibility pop
}
// NOLINTEND

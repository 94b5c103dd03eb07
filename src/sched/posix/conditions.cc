// Condition variables. A wait is two operations: the mutex is given away and the task waits, and
// later it has the mutex again. In between it can be notified, its time can come, or it wakes up
// for no reason.
#include <algorithm>
#include <cerrno>
#include <pthread.h>

#include "sched/posix/clock_times.h"
#include "sched/posix/locks.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

using Deadline = std::optional<std::uint64_t>;

std::uintptr_t place_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

void stop_waiting(SyncObject& condition, TaskId task) { std::erase(condition.waiters, task); }

// The task waits for the mutex from now on.
void want(SyncObject& mutex, TaskId task) {
  mutex.wanted |= only(task);
  refresh(mutex);
}

int wait_on(pthread_cond_t* condition, pthread_mutex_t* mutex, Deadline deadline,
            const void* caller) {
  const InRuntime inside;
  Task& task = engine().running();
  SyncObject& waited = engine().object(condition);
  SyncObject& held = engine().object(mutex);
  if (held.owner != task.id) {
    engine().fail(FailureKind::misuse, "a thread waits on a condition without having its mutex");
  }
  engine().step({.kind = OperationKind::wait, .object = place_of(condition), .caller = caller});
  const bool for_no_reason = engine().choose(2, true) != 0;
  const std::uint32_t depth = give(held);
  engine().changed(place_of(mutex));
  // Whoever waits again has not come further by that.
  --task.changes;
  const Announcement wake_up{
      .kind = OperationKind::wake_up, .object = place_of(condition), .caller = caller};
  bool came = true;
  if (for_no_reason) {
    want(held, task.id);
    engine().request(wake_up, held.owner == kNobody);
  } else {
    waited.waiters.push_back(task.id);
    task.reacquires = &held;
    came = engine().request_cancelably(wake_up, false, deadline);
    const bool is_cancelled = task.cancellation.is_due();
    if (!came || is_cancelled) {
      stop_waiting(waited, task.id);
      if (held.owner != kNobody) {
        want(held, task.id);
        engine().request({.kind = OperationKind::lock, .object = place_of(mutex), .caller = caller},
                         held.owner == kNobody);
      }
    }
  }
  take(held, depth);
  engine().end_if_cancelled();
  return came ? 0 : ETIMEDOUT;
}

void wake(SyncObject& condition, std::size_t which) {
  const TaskId task = condition.waiters[which];
  condition.waiters.erase(condition.waiters.begin() + static_cast<std::ptrdiff_t>(which));
  want(*engine().task(task).reacquires, task);
}

int notify_one(pthread_cond_t* condition, const void* caller) {
  const InRuntime inside;
  SyncObject& waited = engine().object(condition);
  engine().step(
      {.kind = OperationKind::notify_one, .object = place_of(condition), .caller = caller});
  engine().note_result(waited.waiters.size());
  if (waited.waiters.empty()) return 0;
  wake(waited, engine().choose(static_cast<std::uint32_t>(waited.waiters.size()), false));
  engine().changed(place_of(condition));
  return 0;
}

int notify_all(pthread_cond_t* condition, const void* caller) {
  const InRuntime inside;
  SyncObject& waited = engine().object(condition);
  engine().step(
      {.kind = OperationKind::notify_all, .object = place_of(condition), .caller = caller});
  engine().note_result(waited.waiters.size());
  while (!waited.waiters.empty()) wake(waited, 0);
  engine().changed(place_of(condition));
  return 0;
}

LibraryFunction<int(pthread_cond_t*, pthread_mutex_t*)> real_wait("pthread_cond_wait");
LibraryFunction<int(pthread_cond_t*, pthread_mutex_t*, const timespec*)> real_timed_wait(
    "pthread_cond_timedwait");
LibraryFunction<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)> real_clock_wait(
    "pthread_cond_clockwait");
LibraryFunction<int(pthread_cond_t*)> real_signal("pthread_cond_signal");
LibraryFunction<int(pthread_cond_t*)> real_broadcast("pthread_cond_broadcast");
LibraryFunction<int(pthread_cond_t*)> real_destroy_condition("pthread_cond_destroy");

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!runtime::is_on_task()) return runtime::real_wait(condition, mutex);
  return runtime::wait_on(condition, mutex, std::nullopt, __builtin_return_address(0));
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_timed_wait(condition, mutex, until);
  return runtime::wait_on(condition, mutex, runtime::deadline_of(until),
                          __builtin_return_address(0));
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_clock_wait(condition, mutex, clock, until);
  return runtime::wait_on(condition, mutex, runtime::deadline_of(until),
                          __builtin_return_address(0));
}

int pthread_cond_signal(pthread_cond_t* condition) {
  if (!runtime::is_on_task()) return runtime::real_signal(condition);
  return runtime::notify_one(condition, __builtin_return_address(0));
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (!runtime::is_on_task()) return runtime::real_broadcast(condition);
  return runtime::notify_all(condition, __builtin_return_address(0));
}

// The C library's waits for those who still wait, which are not its own.
int pthread_cond_destroy(pthread_cond_t* condition) {
  if (!runtime::is_on_task()) return runtime::real_destroy_condition(condition);
  return 0;
}

#pragma GCC visibility pop
}
// NOLINTEND

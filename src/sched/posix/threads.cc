// What std::thread and pthread_create reach: begin, end, join, detach, thread_local destructors,
// keys.
#include "sched/posix/threads.h"

#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include "sched/posix/clock_times.h"
#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> real_create(
    "pthread_create");
LibraryFunction<int(pthread_t, void**)> real_join("pthread_join");
LibraryFunction<int(pthread_t)> real_detach("pthread_detach");
LibraryFunction<int(pthread_t, void**)> real_try_join("pthread_tryjoin_np");
LibraryFunction<int(pthread_t, void**, const timespec*)> real_timed_join("pthread_timedjoin_np");
LibraryFunction<int(pthread_t, void**, clockid_t, const timespec*)> real_clock_join(
    "pthread_clockjoin_np");
LibraryFunction<int(pthread_t)> real_cancel("pthread_cancel");
LibraryFunction<void()> real_test_cancel("pthread_testcancel");
LibraryFunction<int(int, int*)> real_cancel_state("pthread_setcancelstate");
LibraryFunction<int(int, int*)> real_cancel_type("pthread_setcanceltype");

int create(pthread_t* handle, const pthread_attr_t* attributes, Routine routine, void* argument,
           const void* caller) {
  const InRuntime inside;
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  Task& task = engine().create_task(routine, argument, caller);
  task.detached = state == PTHREAD_CREATE_DETACHED;
  *handle = task.thread->handle();
  return 0;
}

// 0: it can be joined.
int refusal_of_join(const Task* task) {
  if (task == nullptr) return ESRCH;
  if (task->detached || task->joined || task->joiner != kNobody) return EINVAL;
  return task == &engine().running() ? EDEADLK : 0;
}

int join(pthread_t handle, void** result, std::optional<std::uint64_t> deadline,
         const void* caller) {
  const InRuntime inside;
  Task* task = find_task(handle);
  if (const int refusal = refusal_of_join(task)) return refusal;
  if (!engine().join_task(*task, caller, deadline)) {
    engine().end_if_cancelled();
    return ETIMEDOUT;
  }
  if (result != nullptr) *result = task->result;
  return 0;
}

int try_join(pthread_t handle, void** result, const void* caller) {
  const InRuntime inside;
  Task* task = find_task(handle);
  if (const int refusal = refusal_of_join(task)) return refusal;
  if (!engine().try_join_task(*task, caller)) return EBUSY;
  if (result != nullptr) *result = task->result;
  return 0;
}

// A task that waits where it may be cancelled goes on; any other ends when it comes to such a
// place.
int cancel(pthread_t handle, const void* caller) {
  const InRuntime inside;
  Task* task = find_task(handle);
  if (task == nullptr) return ESRCH;
  engine().step({.kind = OperationKind::cancel, .object = task->id, .caller = caller});
  engine().cancel(*task);
  if (task == &engine().running() && task->cancellation.at_once) engine().end_if_cancelled();
  return 0;
}

int detach(pthread_t handle, const void* caller) {
  const InRuntime inside;
  Task* task = find_task(handle);
  if (task == nullptr) return ESRCH;
  if (task->detached || task->joined) return EINVAL;
  engine().pass({.kind = OperationKind::detach, .object = task->id, .caller = caller});
  task->detached = true;
  return 0;
}

// Whoever may be cancelled anywhere is so where it begins to be.
void end_at_once() {
  const InRuntime inside;
  if (engine().running().cancellation.at_once) engine().end_if_cancelled();
}

void test_cancel(const void* caller) {
  const InRuntime inside;
  engine().step({.kind = OperationKind::cancel,
                 .object = engine().running().id,
                 .changes = false,
                 .caller = caller});
  engine().end_if_cancelled();
}

}  // namespace

Task* find_task(pthread_t handle) {
  for (std::size_t i = 0; i < kMostTasks; ++i) {
    Task& task = engine().task(static_cast<TaskId>(i));
    if (task.in_use && task.thread != nullptr && task.thread->handle() == handle) return &task;
  }
  return nullptr;
}

}  // namespace heddle::sched::runtime

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) {
  if (!heddle::sched::runtime::is_on_task()) {
    return heddle::sched::runtime::real_create(handle, attributes, routine, argument);
  }
  return heddle::sched::runtime::create(handle, attributes, routine, argument,
                                        __builtin_return_address(0));
}

int pthread_join(pthread_t handle, void** result) {
  if (!heddle::sched::runtime::is_on_task())
    return heddle::sched::runtime::real_join(handle, result);
  return heddle::sched::runtime::join(handle, result, std::nullopt, __builtin_return_address(0));
}

int pthread_timedjoin_np(pthread_t handle, void** result, const timespec* until) {
  if (!heddle::sched::runtime::is_on_task()) {
    return heddle::sched::runtime::real_timed_join(handle, result, until);
  }
  return heddle::sched::runtime::join(handle, result, heddle::sched::runtime::deadline_of(until),
                                      __builtin_return_address(0));
}

int pthread_clockjoin_np(pthread_t handle, void** result, clockid_t clock, const timespec* until) {
  if (!heddle::sched::runtime::is_on_task()) {
    return heddle::sched::runtime::real_clock_join(handle, result, clock, until);
  }
  return heddle::sched::runtime::join(handle, result, heddle::sched::runtime::deadline_of(until),
                                      __builtin_return_address(0));
}

int pthread_tryjoin_np(pthread_t handle, void** result) {
  if (!heddle::sched::runtime::is_on_task())
    return heddle::sched::runtime::real_try_join(handle, result);
  return heddle::sched::runtime::try_join(handle, result, __builtin_return_address(0));
}

int pthread_cancel(pthread_t handle) {
  if (!heddle::sched::runtime::is_on_task()) return heddle::sched::runtime::real_cancel(handle);
  return heddle::sched::runtime::cancel(handle, __builtin_return_address(0));
}

void pthread_testcancel() {
  if (!heddle::sched::runtime::is_on_task()) return heddle::sched::runtime::real_test_cancel();
  heddle::sched::runtime::test_cancel(__builtin_return_address(0));
}

int pthread_setcancelstate(int state, int* before) {
  if (!heddle::sched::runtime::is_on_task())
    return heddle::sched::runtime::real_cancel_state(state, before);
  bool& off = heddle::sched::runtime::engine().running().cancellation.off;
  if (before != nullptr) *before = off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  if (state != PTHREAD_CANCEL_DISABLE && state != PTHREAD_CANCEL_ENABLE) return EINVAL;
  off = state == PTHREAD_CANCEL_DISABLE;
  heddle::sched::runtime::end_at_once();
  return 0;
}

int pthread_setcanceltype(int type, int* before) {
  if (!heddle::sched::runtime::is_on_task())
    return heddle::sched::runtime::real_cancel_type(type, before);
  heddle::sched::runtime::Cancellation& cancellation =
      heddle::sched::runtime::engine().running().cancellation;
  if (before != nullptr) {
    *before = cancellation.at_once ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  }
  if (type != PTHREAD_CANCEL_ASYNCHRONOUS && type != PTHREAD_CANCEL_DEFERRED) return EINVAL;
  cancellation.at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (cancellation.at_once) heddle::sched::runtime::engine().running().attends = true;
  heddle::sched::runtime::end_at_once();
  return 0;
}

int pthread_detach(pthread_t handle) {
  if (!heddle::sched::runtime::is_on_task()) return heddle::sched::runtime::real_detach(handle);
  return heddle::sched::runtime::detach(handle, __builtin_return_address(0));
}

#pragma GCC visibility pop
}
// NOLINTEND

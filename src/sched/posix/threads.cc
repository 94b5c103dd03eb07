// What std::thread and pthread_create reach: begin, end, join, detach, thread_local destructors,
// keys.
#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)> real_create(
    "pthread_create");
LibraryFunction<int(pthread_t, void**)> real_join("pthread_join");
LibraryFunction<int(pthread_t)> real_detach("pthread_detach");

// Null: the test did not create this thread, or it is gone.
Task* find_task(pthread_t handle) {
  for (std::size_t i = 0; i < kMostTasks; ++i) {
    Task& task = engine().task(static_cast<TaskId>(i));
    if (task.in_use && task.thread != nullptr && task.thread->handle() == handle) return &task;
  }
  return nullptr;
}

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

int join(pthread_t handle, void** result, const void* caller) {
  const InRuntime inside;
  Task* task = find_task(handle);
  if (task == nullptr) return ESRCH;
  if (task->detached || task->joined || task->joiner != kNobody) return EINVAL;
  if (task == &engine().running()) return EDEADLK;
  engine().join_task(*task, caller);
  if (result != nullptr) *result = task->result;
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

}  // namespace

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
  return heddle::sched::runtime::join(handle, result, __builtin_return_address(0));
}

int pthread_detach(pthread_t handle) {
  if (!heddle::sched::runtime::is_on_task()) return heddle::sched::runtime::real_detach(handle);
  return heddle::sched::runtime::detach(handle, __builtin_return_address(0));
}

#pragma GCC visibility pop
}
// NOLINTEND

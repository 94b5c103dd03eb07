// Mutexes and read-write locks. Who has one stands in the engine's table; the program's own bytes
// say only of what kind a mutex is.
#include "sched/posix/locks.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "sched/posix/clock_times.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

void refresh(SyncObject& object) {
  const bool free = object.owner == kNobody && object.waiters.empty();
  const bool sharable = object.owner == kNobody && !object.closed;
  if (free) {
    engine().enable(object.wanted);
  } else {
    engine().disable(object.wanted);
  }
  if (sharable) {
    engine().enable(object.wanted_shared);
  } else {
    engine().disable(object.wanted_shared);
  }
}

void take(SyncObject& mutex, std::uint32_t depth) {
  const TaskId task = engine().running().id;
  mutex.wanted &= ~only(task);
  mutex.owner = task;
  mutex.depth = depth;
  refresh(mutex);
  engine().learn(mutex.clock);
  engine().learn(mutex.readers_clock);
}

std::uint32_t give(SyncObject& mutex) {
  const std::uint32_t depth = mutex.depth;
  mutex.owner = kNobody;
  mutex.depth = 0;
  engine().tell(mutex.clock);
  refresh(mutex);
  return depth;
}

namespace {

using Deadline = std::optional<std::uint64_t>;

std::uintptr_t address_of(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

// The lowest bits of __kind (glibc: nptl/pthreadP.h).
int kind_of(const pthread_mutex_t* mutex) { return mutex->__data.__kind & 3; }

std::string thread_name(int task) { return "thread " + std::to_string(task); }

// A task that has the mutex already. None: it waits for itself.
std::optional<int> lock_again(const pthread_mutex_t* mutex, SyncObject& object,
                              const Announcement& lock, bool tries) {
  switch (kind_of(mutex)) {
    case PTHREAD_MUTEX_RECURSIVE:
      engine().pass(lock);
      ++object.depth;
      return 0;
    case PTHREAD_MUTEX_ERRORCHECK:
      return tries ? EBUSY : EDEADLK;
    default:
      return tries ? std::optional(EBUSY) : std::nullopt;
  }
}

// glibc: PTHREAD_MUTEX_ROBUST_NORMAL_NP.
bool is_robust(const pthread_mutex_t* mutex) { return (mutex->__data.__kind & 16) != 0; }

// What whoever has got the mutex is told.
int has_got(const pthread_mutex_t* mutex, SyncObject& object) {
  if (!is_robust(mutex)) return 0;
  if (object.is_lost) {
    give(object);
    return ENOTRECOVERABLE;
  }
  object.is_robust = true;
  engine().expect_orphans();
  return object.is_orphan ? EOWNERDEAD : 0;
}

int lock(pthread_mutex_t* mutex, Deadline deadline, const void* caller) {
  const InRuntime inside;
  SyncObject& object = engine().object(mutex);
  const TaskId task = engine().running().id;
  const Announcement lock{
      .kind = OperationKind::lock, .object = address_of(mutex), .caller = caller};
  if (object.owner == task) {
    if (const std::optional<int> answer = lock_again(mutex, object, lock, false)) return *answer;
  }
  object.wanted |= only(task);
  if (!engine().request(lock, object.owner == kNobody, deadline)) {
    object.wanted &= ~only(task);
    return ETIMEDOUT;
  }
  take(object, 1);
  return has_got(mutex, object);
}

int try_lock(pthread_mutex_t* mutex, const void* caller) {
  const InRuntime inside;
  SyncObject& object = engine().object(mutex);
  const Announcement attempt{
      .kind = OperationKind::try_lock, .object = address_of(mutex), .caller = caller};
  if (object.owner == engine().running().id) {
    return *lock_again(mutex, object, attempt, true);
  }
  engine().step(attempt);
  const bool can = object.owner == kNobody;
  // It may fail although nobody has the mutex (C++20, [thread.mutex.requirements.mutex]).
  const bool fails = !can || engine().choose(2, true) != 0;
  if (!can)
    engine().tried_in_vain(address_of(mutex), static_cast<std::uint64_t>(object.owner), caller);
  if (fails) return EBUSY;
  take(object, 1);
  engine().changed(address_of(mutex));
  return has_got(mutex, object);
}

int make_consistent(pthread_mutex_t* mutex) {
  const InRuntime inside;
  SyncObject& object = engine().object(mutex);
  if (!object.is_orphan || object.owner != engine().running().id) return EINVAL;
  object.is_orphan = false;
  return 0;
}

int unlock(pthread_mutex_t* mutex, const void* caller) {
  const InRuntime inside;
  SyncObject& object = engine().object(mutex);
  const TaskId task = engine().running().id;
  if (object.owner != task) {
    if (kind_of(mutex) != PTHREAD_MUTEX_NORMAL) return EPERM;
    engine().fail(FailureKind::misuse,
                  object.owner == kNobody
                      ? "a mutex is unlocked that nobody has locked"
                      : "a mutex is unlocked that " + thread_name(object.owner) + " has locked");
  }
  const Announcement unlock{
      .kind = OperationKind::unlock, .object = address_of(mutex), .caller = caller};
  if (object.depth > 1) {
    engine().pass(unlock);
    --object.depth;
    return 0;
  }
  engine().step(unlock);
  object.is_lost = object.is_orphan;
  give(object);
  engine().changed(address_of(mutex));
  return 0;
}

int destroy(pthread_mutex_t* mutex) {
  const InRuntime inside;
  SyncObject& object = engine().object(mutex);
  if (object.owner != kNobody) {
    engine().fail(FailureKind::misuse,
                  "a mutex is destroyed that " + thread_name(object.owner) + " has locked");
  }
  object.clear();
  return 0;
}

// Of the kinds that pthread_rwlockattr_setkind_np makes, the C library has two, as it says itself.
bool prefers_writers(const pthread_rwlock_t* lock) {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

bool shares(const SyncObject& lock, TaskId task) {
  return std::find(lock.waiters.begin(), lock.waiters.end(), task) != lock.waiters.end();
}

// Those who share a read-write lock stand in its `waiters`, each as often as it has it.
int lock_shared(pthread_rwlock_t* lock, Deadline deadline, bool tries, const void* caller) {
  const InRuntime inside;
  SyncObject& object = engine().object(lock);
  const TaskId task = engine().running().id;
  if (object.owner == task) return tries ? EBUSY : EDEADLK;
  const Announcement share{
      .kind = OperationKind::lock_shared, .object = address_of(lock), .caller = caller};
  if (tries) {
    engine().step(share);
    if (object.owner != kNobody || object.closed) {
      engine().tried_in_vain(address_of(lock), static_cast<std::uint64_t>(object.owner), caller);
      return EBUSY;
    }
  } else {
    object.wanted_shared |= only(task);
    const bool comes = engine().request(share, object.owner == kNobody && !object.closed, deadline);
    object.wanted_shared &= ~only(task);
    if (!comes) return ETIMEDOUT;
  }
  object.waiters.push_back(task);
  refresh(object);
  engine().learn(object.clock);
  return 0;
}

int lock_alone(pthread_rwlock_t* lock, Deadline deadline, bool tries, const void* caller) {
  const InRuntime inside;
  SyncObject& object = engine().object(lock);
  const TaskId task = engine().running().id;
  // Who shares it already waits for itself, as in the C library: that is a deadlock.
  if (object.owner == task) return tries ? EBUSY : EDEADLK;
  const Announcement alone{.kind = tries ? OperationKind::try_lock : OperationKind::lock,
                           .object = address_of(lock),
                           .caller = caller};
  const auto is_free = [&] { return object.owner == kNobody && object.waiters.empty(); };
  // From when it has come, and not before, others wait behind it.
  const bool comes_first = !tries && prefers_writers(lock);
  if (comes_first) engine().step(alone);
  if (tries) {
    engine().step(alone);
    if (!is_free()) {
      engine().tried_in_vain(address_of(lock), object.waiters.size(), caller);
      return EBUSY;
    }
  } else if (!comes_first || !is_free()) {
    object.wanted |= only(task);
    object.closed = comes_first;
    refresh(object);
    if (!engine().request(alone, is_free(), deadline)) {
      object.wanted &= ~only(task);
      object.closed = object.closed && object.wanted != 0;
      refresh(object);
      return ETIMEDOUT;
    }
    object.closed = object.closed && (object.wanted & ~only(task)) != 0;
  }
  take(object, 1);
  return 0;
}

int unlock(pthread_rwlock_t* lock, const void* caller) {
  const InRuntime inside;
  SyncObject& object = engine().object(lock);
  const TaskId task = engine().running().id;
  if (object.owner != task && !shares(object, task)) {
    engine().fail(FailureKind::misuse,
                  "a read-write lock is unlocked that the thread has not locked");
  }
  engine().step({.kind = OperationKind::unlock, .object = address_of(lock), .caller = caller});
  if (object.owner == task) {
    give(object);
  } else {
    object.waiters.erase(std::find(object.waiters.begin(), object.waiters.end(), task));
    engine().tell_also(object.readers_clock);
    refresh(object);
  }
  engine().changed(address_of(lock));
  return 0;
}

LibraryFunction<int(pthread_mutex_t*)> real_consistent("pthread_mutex_consistent");
LibraryFunction<int(pthread_mutex_t*)> real_lock("pthread_mutex_lock");
LibraryFunction<int(pthread_mutex_t*)> real_try_lock("pthread_mutex_trylock");
LibraryFunction<int(pthread_mutex_t*, const timespec*)> real_timed_lock("pthread_mutex_timedlock");
LibraryFunction<int(pthread_mutex_t*, clockid_t, const timespec*)> real_clock_lock(
    "pthread_mutex_clocklock");
LibraryFunction<int(pthread_mutex_t*)> real_unlock("pthread_mutex_unlock");
LibraryFunction<int(pthread_mutex_t*, const pthread_mutexattr_t*)> real_init("pthread_mutex_init");
LibraryFunction<int(pthread_mutex_t*)> real_destroy("pthread_mutex_destroy");
LibraryFunction<int(pthread_rwlock_t*)> real_read_lock("pthread_rwlock_rdlock");
LibraryFunction<int(pthread_rwlock_t*)> real_try_read_lock("pthread_rwlock_tryrdlock");
LibraryFunction<int(pthread_rwlock_t*, const timespec*)> real_timed_read_lock(
    "pthread_rwlock_timedrdlock");
LibraryFunction<int(pthread_rwlock_t*, clockid_t, const timespec*)> real_clock_read_lock(
    "pthread_rwlock_clockrdlock");
LibraryFunction<int(pthread_rwlock_t*)> real_write_lock("pthread_rwlock_wrlock");
LibraryFunction<int(pthread_rwlock_t*)> real_try_write_lock("pthread_rwlock_trywrlock");
LibraryFunction<int(pthread_rwlock_t*, const timespec*)> real_timed_write_lock(
    "pthread_rwlock_timedwrlock");
LibraryFunction<int(pthread_rwlock_t*, clockid_t, const timespec*)> real_clock_write_lock(
    "pthread_rwlock_clockwrlock");
LibraryFunction<int(pthread_rwlock_t*)> real_rw_unlock("pthread_rwlock_unlock");

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  if (runtime::is_on_task()) {
    const runtime::InRuntime inside;
    runtime::engine().object(mutex).clear();
  }
  return runtime::real_init(mutex, attributes);
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (!runtime::is_on_task()) return runtime::real_destroy(mutex);
  return runtime::destroy(mutex);
}

int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  if (!runtime::is_on_task()) return runtime::real_consistent(mutex);
  return runtime::make_consistent(mutex);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!runtime::is_on_task()) return runtime::real_lock(mutex);
  return runtime::lock(mutex, std::nullopt, __builtin_return_address(0));
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (!runtime::is_on_task()) return runtime::real_try_lock(mutex);
  return runtime::try_lock(mutex, __builtin_return_address(0));
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_timed_lock(mutex, until);
  return runtime::lock(mutex, runtime::deadline_of(until), __builtin_return_address(0));
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_clock_lock(mutex, clock, until);
  return runtime::lock(mutex, runtime::deadline_of(until), __builtin_return_address(0));
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (!runtime::is_on_task()) return runtime::real_unlock(mutex);
  return runtime::unlock(mutex, __builtin_return_address(0));
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  if (!runtime::is_on_task()) return runtime::real_read_lock(lock);
  return runtime::lock_shared(lock, std::nullopt, false, __builtin_return_address(0));
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!runtime::is_on_task()) return runtime::real_try_read_lock(lock);
  return runtime::lock_shared(lock, std::nullopt, true, __builtin_return_address(0));
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_timed_read_lock(lock, until);
  return runtime::lock_shared(lock, runtime::deadline_of(until), false,
                              __builtin_return_address(0));
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_clock_read_lock(lock, clock, until);
  return runtime::lock_shared(lock, runtime::deadline_of(until), false,
                              __builtin_return_address(0));
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  if (!runtime::is_on_task()) return runtime::real_write_lock(lock);
  return runtime::lock_alone(lock, std::nullopt, false, __builtin_return_address(0));
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!runtime::is_on_task()) return runtime::real_try_write_lock(lock);
  return runtime::lock_alone(lock, std::nullopt, true, __builtin_return_address(0));
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_timed_write_lock(lock, until);
  return runtime::lock_alone(lock, runtime::deadline_of(until), false, __builtin_return_address(0));
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* until) {
  if (!runtime::is_on_task()) return runtime::real_clock_write_lock(lock, clock, until);
  return runtime::lock_alone(lock, runtime::deadline_of(until), false, __builtin_return_address(0));
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!runtime::is_on_task()) return runtime::real_rw_unlock(lock);
  return runtime::unlock(lock, __builtin_return_address(0));
}

#pragma GCC visibility pop
}
// NOLINTEND

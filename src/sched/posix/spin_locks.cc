// Spin locks of POSIX. Whoever spins does nothing else: it waits, as for a mutex.
#include <cerrno>
#include <pthread.h>

#include "sched/posix/locks.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(pthread_spinlock_t*, int)> real_spin_init("pthread_spin_init");
LibraryFunction<int(pthread_spinlock_t*)> real_spin_lock("pthread_spin_lock");
LibraryFunction<int(pthread_spinlock_t*)> real_spin_try_lock("pthread_spin_trylock");
LibraryFunction<int(pthread_spinlock_t*)> real_spin_unlock("pthread_spin_unlock");

std::uintptr_t place_of_spin_lock(pthread_spinlock_t* lock) {
  return reinterpret_cast<std::uintptr_t>(const_cast<int*>(lock));
}
SyncObject& find_spin_lock(pthread_spinlock_t* lock) {
  return engine().object(const_cast<int*>(lock));
}

int lock_spinning(pthread_spinlock_t* lock, const void* caller) {
  const InRuntime inside;
  SyncObject& object = find_spin_lock(lock);
  object.wanted |= only(engine().running().id);
  engine().request(
      {.kind = OperationKind::lock, .object = place_of_spin_lock(lock), .caller = caller},
      object.owner == kNobody);
  take(object, 1);
  return 0;
}

int try_lock_spinning(pthread_spinlock_t* lock, const void* caller) {
  const InRuntime inside;
  SyncObject& object = find_spin_lock(lock);
  const std::uintptr_t place = place_of_spin_lock(lock);
  engine().step({.kind = OperationKind::try_lock, .object = place, .caller = caller});
  if (object.owner != kNobody) {
    engine().tried_in_vain(place, static_cast<std::uint64_t>(object.owner), caller);
    return EBUSY;
  }
  take(object, 1);
  engine().changed(place);
  return 0;
}

// A spin lock does not know who has it: anybody may give it back.
int unlock_spinning(pthread_spinlock_t* lock, const void* caller) {
  const InRuntime inside;
  SyncObject& object = find_spin_lock(lock);
  if (object.owner == kNobody) {
    engine().fail(FailureKind::misuse, "a spin lock is unlocked that nobody has locked");
  }
  engine().step(
      {.kind = OperationKind::unlock, .object = place_of_spin_lock(lock), .caller = caller});
  give(object);
  engine().changed(place_of_spin_lock(lock));
  return 0;
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  if (runtime::is_on_task()) {
    const runtime::InRuntime inside;
    runtime::find_spin_lock(lock).clear();
  }
  return runtime::real_spin_init(lock, shared);
}

int pthread_spin_lock(pthread_spinlock_t* lock) {
  if (!runtime::is_on_task()) return runtime::real_spin_lock(lock);
  return runtime::lock_spinning(lock, __builtin_return_address(0));
}

int pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (!runtime::is_on_task()) return runtime::real_spin_try_lock(lock);
  return runtime::try_lock_spinning(lock, __builtin_return_address(0));
}

int pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (!runtime::is_on_task()) return runtime::real_spin_unlock(lock);
  return runtime::unlock_spinning(lock, __builtin_return_address(0));
}

#pragma GCC visibility pop
}
// NOLINTEND

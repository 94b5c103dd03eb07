// What libraries with locks of their own tell ThreadSanitizer (LLVM:
// compiler-rt/include/sanitizer/tsan_interface.h): when a mutex is taken and given back, and what
// happens before what. The operations that they are made of are controlled as any others; plain
// accesses of the lock itself are left alone.
#include <cstddef>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

constexpr unsigned kReadLock = 1U << 3;
constexpr unsigned kTryLockFailed = 1U << 5;

void begin_own_code() {
  if (is_on_task()) ++engine().running().ignoring;
}
void end_own_code() {
  if (is_on_task()) --engine().running().ignoring;
}

void forget_mutex(void* mutex) {
  if (!is_on_task()) return;
  const InRuntime inside;
  engine().object(mutex).clear();
}

void has_locked(void* mutex, unsigned flags) {
  end_own_code();
  if (!is_on_task() || (flags & kTryLockFailed) != 0) return;
  const InRuntime inside;
  SyncObject& object = engine().object(mutex);
  engine().learn(object.clock);
  if ((flags & kReadLock) == 0) engine().learn(object.readers_clock);
}

void will_unlock(void* mutex, unsigned flags) {
  if (is_on_task()) {
    const InRuntime inside;
    SyncObject& object = engine().object(mutex);
    engine().tell_also((flags & kReadLock) != 0 ? object.readers_clock : object.clock);
  }
  begin_own_code();
}

void acquire(void* place) {
  if (!is_on_task()) return;
  const InRuntime inside;
  engine().learn(engine().object(place).clock);
}

void release(void* place) {
  if (!is_on_task()) return;
  const InRuntime inside;
  engine().tell_also(engine().object(place).clock);
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are ThreadSanitizer's.
extern "C" {
#pragma GCC visibility push(default)

void __tsan_acquire(void* place) { runtime::acquire(place); }
void __tsan_release(void* place) { runtime::release(place); }

void __tsan_mutex_create(void* mutex, unsigned) { runtime::forget_mutex(mutex); }
void __tsan_mutex_destroy(void* mutex, unsigned) { runtime::forget_mutex(mutex); }
void __tsan_mutex_pre_lock(void*, unsigned) { runtime::begin_own_code(); }
void __tsan_mutex_post_lock(void* mutex, unsigned flags, int) { runtime::has_locked(mutex, flags); }
int __tsan_mutex_pre_unlock(void* mutex, unsigned flags) {
  runtime::will_unlock(mutex, flags);
  return 0;
}
void __tsan_mutex_post_unlock(void*, unsigned) { runtime::end_own_code(); }
void __tsan_mutex_pre_signal(void*, unsigned) { runtime::begin_own_code(); }
void __tsan_mutex_post_signal(void*, unsigned) { runtime::end_own_code(); }
void __tsan_mutex_pre_divert(void*, unsigned) { runtime::end_own_code(); }
void __tsan_mutex_post_divert(void*, unsigned) { runtime::begin_own_code(); }

// The older form of the same.
void AnnotateHappensBefore(const char*, int, void* place) { runtime::release(place); }
void AnnotateHappensAfter(const char*, int, void* place) { runtime::acquire(place); }
void AnnotateIgnoreReadsBegin(const char*, int) { runtime::begin_own_code(); }
void AnnotateIgnoreReadsEnd(const char*, int) { runtime::end_own_code(); }
void AnnotateIgnoreWritesBegin(const char*, int) { runtime::begin_own_code(); }
void AnnotateIgnoreWritesEnd(const char*, int) { runtime::end_own_code(); }

#pragma GCC visibility pop
}
// NOLINTEND

// Threads of C11. The C library makes them of POSIX's, without coming by what the runtime puts
// before these: here they do. Its types are POSIX's under other names.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <pthread.h>
#include <sched.h>
#include <threads.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t) &&
              sizeof(tss_t) == sizeof(pthread_key_t));

LibraryFunction<int(thrd_t*, thrd_start_t, void*)> real_thread_create("thrd_create");
LibraryFunction<int(mtx_t*, int)> real_mutex_init("mtx_init");

int answer_of(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

struct ThreadOfC {
  thrd_start_t function;
  void* argument;
};

void* run_thread_of_c(void* begun) {
  const ThreadOfC thread = *static_cast<ThreadOfC*>(begun);
  free(begun);
  const std::intptr_t result = thread.function(thread.argument);
  return reinterpret_cast<void*>(result);  // NOLINT(performance-no-int-to-ptr): it travels as one.
}

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  if (!runtime::is_on_task()) return runtime::real_thread_create(thread, function, argument);
  // Of the memory of the execution, which ends with it.
  auto* begun = static_cast<runtime::ThreadOfC*>(malloc(sizeof(runtime::ThreadOfC)));
  if (begun == nullptr) return thrd_nomem;
  *begun = {function, argument};
  return runtime::answer_of(pthread_create(thread, nullptr, runtime::run_thread_of_c, begun));
}

int thrd_join(thrd_t thread, int* result) {
  void* returned = nullptr;
  const int error = pthread_join(thread, &returned);
  if (error == 0 && result != nullptr) {
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(returned));
  }
  return runtime::answer_of(error);
}

int thrd_detach(thrd_t thread) { return runtime::answer_of(pthread_detach(thread)); }

void thrd_exit(int result) {
  pthread_exit(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}

int thrd_sleep(const timespec* duration, timespec* left) {
  if (nanosleep(duration, left) == 0) return 0;
  return errno == EINTR ? -1 : -2;
}

void thrd_yield() { sched_yield(); }

int mtx_init(mtx_t* mutex, int kind) {
  if (runtime::is_on_task()) {
    const runtime::InRuntime inside;
    runtime::engine().object(mutex).clear();
  }
  return runtime::real_mutex_init(mutex, kind);
}

void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(runtime::posix(mutex)); }

int mtx_lock(mtx_t* mutex) { return runtime::answer_of(pthread_mutex_lock(runtime::posix(mutex))); }

int mtx_trylock(mtx_t* mutex) {
  return runtime::answer_of(pthread_mutex_trylock(runtime::posix(mutex)));
}

int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return runtime::answer_of(pthread_mutex_timedlock(runtime::posix(mutex), until));
}

int mtx_unlock(mtx_t* mutex) {
  return runtime::answer_of(pthread_mutex_unlock(runtime::posix(mutex)));
}

void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(runtime::posix(condition)); }

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return runtime::answer_of(pthread_cond_wait(runtime::posix(condition), runtime::posix(mutex)));
}

int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return runtime::answer_of(
      pthread_cond_timedwait(runtime::posix(condition), runtime::posix(mutex), until));
}

int cnd_signal(cnd_t* condition) {
  return runtime::answer_of(pthread_cond_signal(runtime::posix(condition)));
}

int cnd_broadcast(cnd_t* condition) {
  return runtime::answer_of(pthread_cond_broadcast(runtime::posix(condition)));
}

void call_once(once_flag* flag, void (*function)()) {
  pthread_once(reinterpret_cast<pthread_once_t*>(flag), function);
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  return runtime::answer_of(pthread_key_create(key, destructor));
}

void tss_delete(tss_t key) { pthread_key_delete(key); }

void* tss_get(tss_t key) { return pthread_getspecific(key); }

int tss_set(tss_t key, void* value) { return runtime::answer_of(pthread_setspecific(key, value)); }

#pragma GCC visibility pop
}
// NOLINTEND

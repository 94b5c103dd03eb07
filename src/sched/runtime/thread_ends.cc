// How a thread ends: what it has registered for its end, and pthread_exit.
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdint>
#include <pthread.h>
#include <unwind.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

using Destructor = void (*)(void*);

LibraryFunction<int(pthread_key_t*, Destructor)> real_key_create("pthread_key_create");
LibraryFunction<int(pthread_key_t)> real_key_delete("pthread_key_delete");
LibraryFunction<int(pthread_key_t, const void*)> real_set_specific("pthread_setspecific");
LibraryFunction<void*(pthread_key_t)> real_get_specific("pthread_getspecific");
LibraryFunction<void(void*)> real_exit("pthread_exit");
LibraryFunction<int(Destructor, void*, void*)> real_at_exit("__cxa_thread_atexit_impl");
LibraryFunction<void(__pthread_unwind_buf_t*)> real_register("__pthread_register_cancel");
LibraryFunction<void(__pthread_unwind_buf_t*)> real_unregister("__pthread_unregister_cancel");
LibraryFunction<void(__pthread_unwind_buf_t*)> real_unwind_next("__pthread_unwind_next");

constexpr std::size_t kMostKeys = PTHREAD_KEYS_MAX;
std::array<Destructor, kMostKeys> key_destructors{};

void* forced_unwind_kind() {
  static _Unwind_Exception exception{};
  return &exception;
}

// Called for each frame that pthread_exit leaves, when its destructors have run. Handlers of C are
// code of the frame that has the buffer: it is left when the stack above the buffer is reached.
_Unwind_Reason_Code stop_at_end(int /*version*/, _Unwind_Action actions,
                                _Unwind_Exception_Class /*kind*/, _Unwind_Exception* /*exception*/,
                                _Unwind_Context* context, void* /*unused*/) {
  const bool is_end = (actions & _UA_END_OF_STACK) != 0;
  Task& task = engine().running();
  std::vector<void*>& handlers = task.cancellation.handlers;
  if (!handlers.empty() &&
      (is_end || _Unwind_GetCFA(context) > reinterpret_cast<std::uintptr_t>(handlers.back()))) {
    void* buffer = handlers.back();
    handlers.pop_back();
    hooked = task.thread->carrier().thread_pointer;
    siglongjmp(*static_cast<sigjmp_buf*>(buffer), 1);
  }
  if (!is_end) return _URC_NO_REASON;
  hooked = nullptr;
  engine().end_task();
}

[[noreturn]] void leave_frames() {
  auto* exception = static_cast<_Unwind_Exception*>(forced_unwind_kind());
  *exception = {};
  _Unwind_ForcedUnwind(exception, stop_at_end, nullptr);
  __builtin_unreachable();
}

}  // namespace

// Whoever is cancelled is so once: handlers may wait.
void exit_thread(void* result) {
  Task& task = engine().running();
  task.result = result;
  task.cancellation.off = true;
  task.cancellation.waits = false;
  leave_frames();
}

void run_thread_local_destructors(Task& task) {
  while (!task.at_end.empty()) {
    const AtEnd last = task.at_end.back();
    task.at_end.pop_back();
    last.call(last.argument);
  }
}

// Destructors of thread_local objects, the last one made first; then those of keys, as often as
// they set values again (POSIX: PTHREAD_DESTRUCTOR_ITERATIONS). They are the program's own doing.
void run_at_end(Task& task) {
  run_thread_local_destructors(task);
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    bool again = false;
    for (std::size_t key = 0; key < task.keyed.size(); ++key) {
      void* value = task.keyed[key];
      if (value == nullptr || key_destructors[key] == nullptr) continue;
      task.keyed[key] = nullptr;
      again = true;
      key_destructors[key](value);
    }
    if (!again) return;
  }
}

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library) {
  if (!runtime::is_on_task()) return runtime::real_at_exit(destructor, object, library);
  const runtime::InRuntime inside;
  runtime::engine().running().at_end.push_back({destructor, object});
  return 0;
}

int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library) {
  return __cxa_thread_atexit_impl(destructor, object, library);
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  const int error = runtime::real_key_create(key, destructor);
  if (error == 0 && *key < runtime::kMostKeys) runtime::key_destructors[*key] = destructor;
  return error;
}

int pthread_key_delete(pthread_key_t key) {
  if (key < runtime::kMostKeys) runtime::key_destructors[key] = nullptr;
  return runtime::real_key_delete(key);
}

int pthread_setspecific(pthread_key_t key, const void* value) {
  if (!runtime::is_on_task()) return runtime::real_set_specific(key, value);
  if (key >= runtime::kMostKeys) return EINVAL;
  const runtime::InRuntime inside;
  std::vector<void*>& keyed = runtime::engine().running().keyed;
  if (keyed.size() <= key) keyed.resize(key + 1, nullptr);
  keyed[key] = const_cast<void*>(value);
  return 0;
}

void* pthread_getspecific(pthread_key_t key) {
  if (!runtime::is_on_task()) return runtime::real_get_specific(key);
  const std::vector<void*>& keyed = runtime::engine().running().keyed;
  return key < keyed.size() ? keyed[key] : nullptr;
}

void pthread_exit(void* result) {
  if (!runtime::is_on_task()) runtime::real_exit(result);
  runtime::exit_thread(result);
}

// What pthread_cleanup_push and pthread_cleanup_pop of programs in C call, and the end of a handler
// (glibc: nptl/cleanup.c).
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  if (!runtime::is_on_task()) return runtime::real_register(buffer);
  const runtime::InRuntime inside;
  runtime::engine().running().cancellation.handlers.push_back(buffer);
}

void __pthread_unregister_cancel(__pthread_unwind_buf_t* buffer) {
  if (!runtime::is_on_task()) return runtime::real_unregister(buffer);
  const runtime::InRuntime inside;
  std::erase(runtime::engine().running().cancellation.handlers, static_cast<void*>(buffer));
}

void __pthread_unwind_next(__pthread_unwind_buf_t* buffer) {
  if (!runtime::is_on_task()) {
    runtime::real_unwind_next(buffer);
    __builtin_unreachable();
  }
  runtime::leave_frames();
}

#pragma GCC visibility pop
}
// NOLINTEND

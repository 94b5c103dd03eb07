// What a test is told about the machine and about itself: the same everywhere. There are four
// processors; a thread runs on the one of its number. Threads have the numbers behind the greatest
// that Linux gives, so that none is another thread's.
#include <cerrno>
#include <cstdarg>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "sched/library/draws.h"
#include "sched/posix/futex.h"
#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<pid_t()> real_gettid("gettid");
LibraryFunction<int()> real_getcpu("sched_getcpu");
LibraryFunction<int(unsigned*, unsigned*)> real_get_cpu_and_node("getcpu");
LibraryFunction<int()> real_nprocs("get_nprocs");
LibraryFunction<int()> real_nprocs_conf("get_nprocs_conf");
LibraryFunction<long(int)> real_sysconf("sysconf");
LibraryFunction<int(pid_t, std::size_t, cpu_set_t*)> real_affinity("sched_getaffinity");
LibraryFunction<int(pthread_t, std::size_t, cpu_set_t*)> real_thread_affinity(
    "pthread_getaffinity_np");

constexpr int kProcessors = 4;
constexpr pid_t kMostThreads = 1 << 22;  // PID_MAX_LIMIT of Linux

pid_t task_number() { return kMostThreads + 1 + engine().running().id; }
unsigned task_processor() { return engine().running().id % kProcessors; }

// How many bytes the kernel writes for so many processors: whole words.
constexpr std::size_t kSetBytes = sizeof(unsigned long);

bool fill_processors(std::size_t size, cpu_set_t* set) {
  if (size < kSetBytes) return false;
  CPU_ZERO_S(size, set);
  for (int processor = 0; processor < kProcessors; ++processor) CPU_SET_S(processor, size, set);
  return true;
}

long fail_as(int error) {
  errno = error;
  return -1;
}

// Calls that the program makes itself.
bool answer_system_call(long number, const std::array<long, 6>& arguments, const void* caller,
                        long& answer) {
  switch (number) {
    case SYS_futex:
      answer = controlled_futex(arguments, caller);
      return true;
    case SYS_gettid:
      answer = task_number();
      return true;
    case SYS_getrandom:
      draw_bytes(reinterpret_cast<void*>(arguments[0]), static_cast<std::size_t>(arguments[1]),
                 caller);
      answer = arguments[1];
      return true;
    case SYS_getcpu:
      if (arguments[0] != 0) *reinterpret_cast<unsigned*>(arguments[0]) = task_processor();
      if (arguments[1] != 0) *reinterpret_cast<unsigned*>(arguments[1]) = 0;
      answer = 0;
      return true;
    case SYS_sched_getaffinity:
      answer = fill_processors(static_cast<std::size_t>(arguments[1]),
                               reinterpret_cast<cpu_set_t*>(arguments[2]))
                   ? static_cast<long>(kSetBytes)
                   : fail_as(EINVAL);
      return true;
    default:
      return false;
  }
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

pid_t gettid() noexcept {
  return runtime::is_on_task() ? runtime::task_number() : runtime::real_gettid();
}
int sched_getcpu() noexcept {
  return runtime::is_on_task() ? static_cast<int>(runtime::task_processor())
                               : runtime::real_getcpu();
}
int getcpu(unsigned* processor, unsigned* node) noexcept {
  if (!runtime::is_on_task()) return runtime::real_get_cpu_and_node(processor, node);
  if (processor != nullptr) *processor = runtime::task_processor();
  if (node != nullptr) *node = 0;
  return 0;
}
int get_nprocs() noexcept {
  return runtime::is_on_task() ? runtime::kProcessors : runtime::real_nprocs();
}
int get_nprocs_conf() noexcept {
  return runtime::is_on_task() ? runtime::kProcessors : runtime::real_nprocs_conf();
}
long sysconf(int name) noexcept {
  if (runtime::is_on_task() && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)) {
    return runtime::kProcessors;
  }
  return runtime::real_sysconf(name);
}
int sched_getaffinity(pid_t thread, std::size_t size, cpu_set_t* set) noexcept {
  if (!runtime::is_on_task()) return runtime::real_affinity(thread, size, set);
  return runtime::fill_processors(size, set) ? 0 : static_cast<int>(runtime::fail_as(EINVAL));
}
int pthread_getaffinity_np(pthread_t thread, std::size_t size, cpu_set_t* set) noexcept {
  if (!runtime::is_on_task()) return runtime::real_thread_affinity(thread, size, set);
  return runtime::fill_processors(size, set) ? 0 : EINVAL;
}

long syscall(long number, ...) noexcept {
  va_list more;
  va_start(more, number);
  std::array<long, 6> arguments{};
  for (long& argument : arguments) argument = va_arg(more, long);
  va_end(more);
  if (runtime::is_on_task()) {
    long answer = 0;
    if (runtime::answer_system_call(number, arguments, __builtin_return_address(0), answer)) {
      return answer;
    }
  }
  const long returned = runtime::system_call(number, arguments);
  if (returned < 0 && returned > -4096) return runtime::fail_as(static_cast<int>(-returned));
  return returned;
}

#pragma GCC visibility pop
}
// NOLINTEND

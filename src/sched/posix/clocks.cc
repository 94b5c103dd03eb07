// Clocks and sleeps. A test's time is the engine's: it stands still while somebody can go on, and
// jumps to the next moment that somebody waits for when nobody can.
#include <cerrno>
#include <ctime>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include "sched/posix/clock_times.h"
#include "sched/posix/interruptions.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(clockid_t, timespec*)> real_get_time("clock_gettime");
LibraryFunction<int(timeval*, void*)> real_get_time_of_day("gettimeofday");
LibraryFunction<time_t(time_t*)> real_time("time");
LibraryFunction<int(const timespec*, timespec*)> real_nanosleep("nanosleep");
LibraryFunction<int(clockid_t, int, const timespec*, timespec*)> real_clock_nanosleep(
    "clock_nanosleep");
LibraryFunction<int(useconds_t)> real_usleep("usleep");
LibraryFunction<unsigned(unsigned)> real_sleep("sleep");
LibraryFunction<int()> real_yield("sched_yield");

std::uint64_t now(const void* caller) {
  const InRuntime inside;
  return engine().read_clock(caller);
}

// False: a handler of a signal has run before.
bool sleep_until(std::uint64_t deadline, const void* caller) {
  const InRuntime inside;
  const Interruptible wait(Interruption::always);
  engine().request_cancelably({.kind = OperationKind::sleep, .changes = false, .caller = caller},
                              false, deadline);
  engine().end_if_cancelled();
  return !wait.came();
}

// How many nanoseconds are left.
std::uint64_t sleep_for(std::uint64_t ns, const void* caller) {
  const std::uint64_t deadline = engine().now_ns() + ns;
  if (sleep_until(deadline, caller) || engine().now_ns() >= deadline) return 0;
  return deadline - engine().now_ns();
}

int fail_with_rest(std::uint64_t ns, timespec* left) {
  if (left != nullptr) *left = to_timespec(ns);
  errno = EINTR;
  return -1;
}

int yield(const void* caller) {
  const InRuntime inside;
  engine().let_others_go_on();
  engine().step({.kind = OperationKind::yield, .changes = false, .caller = caller});
  engine().saw(0, 0, caller);
  return 0;
}

constexpr std::uint64_t kMicrosecond = 1000;

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int clock_gettime(clockid_t clock, timespec* time) {
  if (!runtime::is_on_task()) return runtime::real_get_time(clock, time);
  *time = runtime::to_timespec(runtime::now(__builtin_return_address(0)));
  return 0;
}

int gettimeofday(timeval* time, void* zone) {
  if (!runtime::is_on_task()) return runtime::real_get_time_of_day(time, zone);
  const timespec now = runtime::to_timespec(runtime::now(__builtin_return_address(0)));
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}

time_t time(time_t* place) {
  if (!runtime::is_on_task()) return runtime::real_time(place);
  const timespec now = runtime::to_timespec(runtime::now(__builtin_return_address(0)));
  if (place != nullptr) *place = now.tv_sec;
  return now.tv_sec;
}

int nanosleep(const timespec* duration, timespec* left) {
  if (!runtime::is_on_task()) return runtime::real_nanosleep(duration, left);
  const std::uint64_t ns =
      runtime::sleep_for(runtime::to_ns(*duration), __builtin_return_address(0));
  return ns == 0 ? 0 : runtime::fail_with_rest(ns, left);
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!runtime::is_on_task()) return runtime::real_clock_nanosleep(clock, flags, time, left);
  if ((flags & TIMER_ABSTIME) != 0) {
    return runtime::sleep_until(runtime::to_ns(*time), __builtin_return_address(0)) ? 0 : EINTR;
  }
  const std::uint64_t ns = runtime::sleep_for(runtime::to_ns(*time), __builtin_return_address(0));
  if (ns == 0) return 0;
  runtime::fail_with_rest(ns, left);
  return EINTR;
}

int usleep(useconds_t microseconds) {
  if (!runtime::is_on_task()) return runtime::real_usleep(microseconds);
  const std::uint64_t ns =
      runtime::sleep_for(microseconds * runtime::kMicrosecond, __builtin_return_address(0));
  return ns == 0 ? 0 : runtime::fail_with_rest(ns, nullptr);
}

unsigned sleep(unsigned seconds) {
  if (!runtime::is_on_task()) return runtime::real_sleep(seconds);
  const std::uint64_t ns = runtime::sleep_for(
      static_cast<std::uint64_t>(seconds) * runtime::kSecond, __builtin_return_address(0));
  return static_cast<unsigned>((ns + runtime::kSecond - 1) / runtime::kSecond);
}

int sched_yield() {
  if (!runtime::is_on_task()) return runtime::real_yield();
  return runtime::yield(__builtin_return_address(0));
}

#pragma GCC visibility pop
}
// NOLINTEND

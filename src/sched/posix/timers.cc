// The system's timer stands still until the execution's time has come to where it was to go off,
// and then goes off at once: so it is ready for whoever waits for it, by itself or among others.
#include "sched/posix/timers.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "sched/posix/clock_times.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

// A timer that was set; no deadline: it goes off no more.
struct Timer {
  int descriptor = -1;
  std::uint64_t deadline = 0;
  std::uint64_t interval = 0;
};

struct Timers {
  std::uint64_t execution = 0;  // whose they are
  std::size_t count = 0;
  std::array<Timer, 256> all;

  // null: there are too many.
  Timer* of(int descriptor) {
    Timer* end = all.data() + count;
    Timer* found = std::find_if(
        all.data(), end, [descriptor](const Timer& one) { return one.descriptor == descriptor; });
    if (found != end) return found;
    if (count == all.size()) return nullptr;
    ++count;
    *found = Timer{.descriptor = descriptor};
    return found;
  }
};

Timers& timers() {
  static Timers kept;
  if (kept.execution != engine().number()) {
    kept.execution = engine().number();
    kept.count = 0;
  }
  return kept;
}

LibraryFunction<int(int, int, const itimerspec*, itimerspec*)> real_set("timerfd_settime");
LibraryFunction<int(int, itimerspec*)> real_get("timerfd_gettime");
LibraryFunction<int(clockid_t, sigevent*, timer_t*)> real_create_timer("timer_create");

itimerspec left_of(const Timer& timer) {
  const std::uint64_t now = engine().now_ns();
  itimerspec left{};
  if (timer.deadline != 0) left.it_value = to_timespec(std::max(timer.deadline, now + 1) - now);
  left.it_interval = to_timespec(timer.interval);
  return left;
}

// False: the descriptor is no timer any more.
bool go_off(int descriptor) {
  const itimerspec at_once{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 1}};
  if (real_set(descriptor, 0, &at_once, nullptr) != 0) return false;
  constexpr int kMostMs = 100;
  pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
  system_call(SYS_poll, {reinterpret_cast<long>(&one), 1, kMostMs});
  return true;
}

int set_timer(int descriptor, int flags, const itimerspec* set, itimerspec* before) {
  const InRuntime inside;
  const itimerspec never{};
  if (const int failed = real_set(descriptor, 0, &never, nullptr)) return failed;
  Timer* timer = timers().of(descriptor);
  if (timer == nullptr) return real_set(descriptor, flags, set, before);
  if (before != nullptr) *before = left_of(*timer);
  const bool is_off = set->it_value.tv_sec == 0 && set->it_value.tv_nsec == 0;
  const bool is_absolute = (flags & TFD_TIMER_ABSTIME) != 0;
  timer->interval = to_ns(set->it_interval);
  timer->deadline = is_absolute ? to_ns(set->it_value) : deadline_after(set->it_value);
  if (is_off) timer->deadline = 0;
  return 0;
}

int get_timer(int descriptor, itimerspec* left) {
  const InRuntime inside;
  if (const int failed = real_get(descriptor, left)) return failed;
  if (const Timer* timer = timers().of(descriptor)) *left = left_of(*timer);
  return 0;
}

}  // namespace

// How often a timer with an interval has gone off meanwhile is told as once.
bool fire_timers() {
  Timers& kept = timers();
  bool are_left = false;
  for (std::size_t i = 0; i < kept.count; ++i) {
    Timer& timer = kept.all[i];
    if (timer.deadline == 0) continue;
    if (timer.deadline > engine().now_ns()) {
      are_left = true;
      continue;
    }
    timer.deadline = timer.interval == 0 ? 0 : engine().now_ns() + timer.interval;
    if (!go_off(timer.descriptor)) timer = Timer{};
    are_left |= timer.deadline != 0;
  }
  return are_left;
}

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int timerfd_settime(int descriptor, int flags, const itimerspec* set, itimerspec* before) {
  if (!runtime::is_on_task()) return runtime::real_set(descriptor, flags, set, before);
  return runtime::set_timer(descriptor, flags, set, before);
}

int timerfd_gettime(int descriptor, itimerspec* left) {
  if (!runtime::is_on_task()) return runtime::real_get(descriptor, left);
  return runtime::get_timer(descriptor, left);
}

int timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  if (runtime::is_on_task() && event != nullptr && event->sigev_notify == SIGEV_THREAD) {
    const runtime::InRuntime inside;
    runtime::engine().fail(runtime::FailureKind::misuse,
                           "a timer that calls a function in a thread of the C library's "
                           "(SIGEV_THREAD) is not controlled: wait in a thread of the test");
  }
  return runtime::real_create_timer(clock, event, timer);
}

#pragma GCC visibility pop
}
// NOLINTEND

#include "base/interrupt.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <signal.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"

namespace heddle {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Signal handlers may touch lock-free atomics and file descriptors, nothing else.
std::atomic<int> first_signal{0};
std::atomic<std::int64_t> signal_ns{0};
std::atomic<std::int64_t> bound_ns{0};  // when a bound was hit; 0: none was
static_assert(std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

thread_local InterruptGrace* innermost_grace = nullptr;

// The clock of timers; may be asked in a signal handler.
std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

struct WakePipe {
  int read_end = -1;
  int write_end = -1;

  WakePipe() {
    int ends[2];
    HEDDLE_ASSERT(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
    read_end = ends[0];
    write_end = ends[1];
  }
};

// Lives as long as the process: a handler may use it at any time.
const WakePipe& wake_pipe() {
  static const WakePipe* pipe = new WakePipe;
  return *pipe;
}

std::atomic<int> wake_fd{-1};

void record_signal(int signal) {
  signal_ns = now_ns();  // before anybody can learn of the signal
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal)) ::_exit(128 + signal);
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(wake_fd.load(), &byte, 1);
}

bool is_stop_asked() { return first_signal.load() != 0 || bound_ns.load() != 0; }

void handle_signal(int signal) {
  const int saved = errno;
  record_signal(signal);
  errno = saved;
}

}  // namespace

void install_interrupt_handler() {
  wake_fd = wake_pipe().write_end;
  for (const int signal : kSignals) {
    struct sigaction present{};
    HEDDLE_ASSERT(::sigaction(signal, nullptr, &present) == 0);
    if (present.sa_handler == SIG_IGN) continue;
    struct sigaction wanted{};
    wanted.sa_handler = handle_signal;
    wanted.sa_flags = SA_RESTART;  // poll() and sleeps are woken all the same
    ::sigemptyset(&wanted.sa_mask);
    HEDDLE_ASSERT(::sigaction(signal, &wanted, nullptr) == 0);
  }
}

bool interrupted() {
  return is_stop_asked() && (innermost_grace == nullptr || innermost_grace->is_over());
}

void stop_at_bound() {
  std::int64_t none = 0;
  if (!bound_ns.compare_exchange_strong(none, now_ns())) return;
  const char byte = 0;
  const int wake = wake_pipe().write_end;
  [[maybe_unused]] const ssize_t written = ::write(wake, &byte, 1);
}

int interrupt_signal() { return first_signal.load(); }

int interrupt_fd() {
  const bool waits = innermost_grace != nullptr && is_stop_asked();
  return waits ? innermost_grace->timer() : wake_pipe().read_end;
}

InterruptGrace::InterruptGrace(std::uint32_t ms)
    : outer_(innermost_grace),
      begin_ns_(now_ns()),
      length_ns_(std::int64_t{ms} * (kNsPerSecond / 1'000)) {
  innermost_grace = this;
}

InterruptGrace::~InterruptGrace() {
  innermost_grace = outer_;
  if (timer_ >= 0) ::close(timer_);
}

std::int64_t InterruptGrace::end_ns() const {
  const std::int64_t bound = bound_ns.load();
  if (bound == 0) return std::max(begin_ns_, signal_ns.load()) + length_ns_;
  constexpr std::int64_t kMost = std::int64_t{kGraceAtBoundMs} * (kNsPerSecond / 1'000);
  return std::max(begin_ns_, bound) + std::min(length_ns_, kMost);
}

bool InterruptGrace::is_over() const { return now_ns() >= end_ns(); }

int InterruptGrace::timer() {
  if (timer_ >= 0) return timer_;
  timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  itimerspec end{};
  end.it_value.tv_sec = end_ns() / kNsPerSecond;
  end.it_value.tv_nsec = end_ns() % kNsPerSecond;
  if (timer_ >= 0) ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &end, nullptr);
  return timer_;
}

void raise_interrupt() {
  wake_fd = wake_pipe().write_end;
  record_signal(SIGINT);
}

void clear_interrupt() {
  char bytes[16];
  while (::read(wake_pipe().read_end, bytes, sizeof bytes) > 0) {
  }
  first_signal = 0;
  bound_ns = 0;
}

}  // namespace heddle

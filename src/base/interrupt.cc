#include "base/interrupt.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/assert.h"

namespace heddle {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Signal handlers may touch lock-free atomics and file descriptors, nothing else.
std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

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
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, signal)) ::_exit(128 + signal);
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(wake_fd.load(), &byte, 1);
}

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

bool interrupted() { return first_signal.load() != 0; }

int interrupt_signal() { return first_signal.load(); }

int interrupt_fd() { return wake_pipe().read_end; }

void raise_interrupt() {
  wake_fd = wake_pipe().write_end;
  record_signal(SIGINT);
}

void clear_interrupt() {
  char bytes[16];
  while (::read(wake_pipe().read_end, bytes, sizeof bytes) > 0) {
  }
  first_signal = 0;
}

}  // namespace heddle

// Pipes, sockets and events, by which threads of one program wait for each other. All threads are
// one for the system: none may wait in it. So whoever would wait looks, and is set behind the
// others until one of them has done something with a descriptor. When nobody else can go on, what
// comes must come from outside, and is waited for a little.
//
// What is done with any of them happens before whatever sees it later: which of them belong
// together is not known. Files and terminals are never waited for; what goes to the standard
// descriptors concerns nobody in the program.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sched/posix/clock_times.h"
#include "sched/posix/interruptions.h"
#include "sched/posix/timers.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

using Limit = std::optional<std::uint64_t>;

// What stands for all descriptors.
char channels = 0;
std::uintptr_t place_of_channels() { return reinterpret_cast<std::uintptr_t>(&channels); }

long in_c(long answer) {
  if (answer >= 0) return answer;
  errno = static_cast<int>(-answer);
  return -1;
}

template <class... Arguments>
long call_system(long number, Arguments... arguments) {
  return system_call(number, {(long)arguments...});  // NOLINT(google-readability-casting)
}

bool is_channel(int descriptor) {
  if (descriptor <= STDERR_FILENO) return false;
  struct stat told{};
  if (call_system(SYS_fstat, descriptor, &told) != 0) return false;
  const mode_t kind = told.st_mode & S_IFMT;
  return kind == S_IFIFO || kind == S_IFSOCK || kind == 0;
}

// For how long the system is asked at once for what must come from outside.
constexpr int kLookMs = 10;
constexpr std::uint32_t kIdle = 100;

// A wait of the running task. `look(ms)` asks the system: not 0 if the wait is over.
struct ChannelWait {
  int descriptor = -1;  // the one that is told of
  Limit limit = std::nullopt;
  const void* caller = nullptr;
  int looks = 0;

  void begin_step(OperationKind kind) const {
    engine().step({.kind = kind, .object = place_of_channels(), .caller = caller});
    engine().note_result(static_cast<std::uint64_t>(descriptor));
  }

  [[noreturn]] void fail_for_ever() const {
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%g", engine().options().outside);
    engine().fail(FailureKind::deadlock,
                  "thread " + std::to_string(engine().running().id) + " waits for descriptor " +
                      std::to_string(descriptor) +
                      ", nobody can go on, and nothing comes from outside within " + seconds +
                      " seconds (Options::outside, HEDDLE_OUTSIDE)");
  }

  // 0: the wait is over, else what it ended with in its place.
  template <class Look>
  int until(Interruption kind, Look look) {
    std::optional<Interruptible> interruptible;
    for (;;) {
      engine().end_if_cancelled();
      begin_step(OperationKind::descriptor_wait);
      // What was handled so far came before the wait.
      if (!interruptible) interruptible.emplace(kind);
      const bool time_comes = fire_timers() || limit;
      if (look(0) != 0) return 0;
      if (interruptible->came()) return EINTR;
      if (limit && engine().now_ns() >= *limit) return ETIMEDOUT;
      if (engine().idle_rounds() > kIdle && !time_comes) {
        if (looks++ * kLookMs >= engine().options().outside * 1000) fail_for_ever();
        if (look(kLookMs) != 0) return 0;
      }
      // It does nothing else, however often it looks.
      engine().running().patience = 0;
      engine().saw(place_of_channels(), static_cast<std::uint64_t>(descriptor), caller);
      engine().running().reads_clock |= time_comes;
    }
  }
};

void has_used() {
  SyncObject& object = engine().object(&channels);
  engine().learn(object.clock);
  engine().tell_also(object.clock);
  engine().changed(place_of_channels());
}

short poll_one(int descriptor, short events, int ms) {
  pollfd one{.fd = descriptor, .events = events, .revents = 0};
  return call_system(SYS_poll, &one, 1, ms) > 0 ? one.revents : short{0};
}

// Whether the program has it wait.
bool is_blocking(int descriptor) {
  const long flags = call_system(SYS_fcntl, descriptor, F_GETFL, 0);
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

// While this lives the descriptor does not wait in the system.
class Unblocked {
 public:
  explicit Unblocked(int descriptor)
      : descriptor_(descriptor), flags_(call_system(SYS_fcntl, descriptor, F_GETFL, 0)) {
    if (waits()) call_system(SYS_fcntl, descriptor_, F_SETFL, flags_ | O_NONBLOCK);
  }
  ~Unblocked() {
    if (waits()) call_system(SYS_fcntl, descriptor_, F_SETFL, flags_);
  }
  Unblocked(const Unblocked&) = delete;
  Unblocked& operator=(const Unblocked&) = delete;

 private:
  bool waits() const { return flags_ >= 0 && (flags_ & O_NONBLOCK) == 0; }

  int descriptor_;
  long flags_;
};

// An operation on one descriptor, which can be done when it has one of the events. `call()` does it
// once, and returns as a system call does.
template <class Call>
long use_channel(int descriptor, short events, const void* caller, Call call,
                 Limit limit = std::nullopt) {
  const InRuntime inside;
  ChannelWait wait{.descriptor = descriptor, .limit = limit, .caller = caller};
  for (;;) {
    const bool waits = is_blocking(descriptor);
    if (waits) {
      const auto look = [&](int ms) { return poll_one(descriptor, events, ms); };
      if (const int error = wait.until(Interruption::unless_restarted, look)) return -error;
    } else {
      wait.begin_step(OperationKind::descriptor_use);
      fire_timers();
    }
    // Only now: others would take it for the program's wish.
    const Unblocked unblocked(descriptor);
    const long done = call();
    if (done == -EAGAIN && waits) continue;
    if (done >= 0) {
      has_used();
    } else {
      engine().saw(place_of_channels(), static_cast<std::uint64_t>(descriptor), caller);
    }
    return done;
  }
}

// As `input` and `output`, for queues of messages. `until` is a moment of the clock.
template <class Call>
ssize_t use_queue(int queue, short events, const timespec* until, const void* caller, Call call) {
  if (!is_on_task()) return in_c(call());
  const Limit limit = until == nullptr ? std::nullopt : Limit(deadline_of(until));
  return in_c(use_channel(queue, events, caller, call, limit));
}

template <class Call>
ssize_t input(int descriptor, const void* caller, Call call) {
  if (!is_on_task() || !is_channel(descriptor)) return in_c(call());
  return in_c(use_channel(descriptor, POLLIN, caller, call));
}

// Whoever waits goes on until all is written. `call(done)` writes what is left behind `done`.
template <class Call>
ssize_t output(int descriptor, std::size_t size, const void* caller, Call call) {
  if (!is_on_task() || !is_channel(descriptor)) return in_c(call(0));
  const bool waits = is_blocking(descriptor);
  std::size_t written = 0;
  do {
    const long done = use_channel(descriptor, POLLOUT, caller, [&] { return call(written); });
    if (done < 0) return written > 0 ? static_cast<ssize_t>(written) : in_c(done);
    written += static_cast<std::size_t>(done);
  } while (waits && written < size);
  return static_cast<ssize_t>(written);
}

// Several descriptors at once. `look(ms)` is the call with another limit.
template <class Look>
long wait_for_several(int first, Limit limit, bool only_looks, const void* caller, Look look) {
  const InRuntime inside;
  ChannelWait wait{.descriptor = first, .limit = limit, .caller = caller};
  long answer = 0;
  const auto ask = [&](int ms) { return answer = look(ms); };
  if (only_looks) {
    wait.begin_step(OperationKind::descriptor_wait);
    fire_timers();
    if (ask(0) == 0) engine().saw(place_of_channels(), static_cast<std::uint64_t>(first), caller);
  } else if (wait.until(Interruption::always, ask) == EINTR) {
    return -EINTR;
  }
  if (answer > 0) engine().learn(engine().object(&channels).clock);
  return answer;
}

Limit limit_after(int ms) {
  constexpr std::uint64_t kMs = 1'000'000;
  if (ms < 0) return std::nullopt;
  return engine().now_ns() + static_cast<std::uint64_t>(ms) * kMs;
}
Limit limit_after(const timespec* time) {
  if (time == nullptr) return std::nullopt;
  return deadline_after(*time);
}
bool is_zero(const timespec* time) {
  return time != nullptr && time->tv_sec == 0 && time->tv_nsec == 0;
}

int wait_by_poll(pollfd* descriptors, nfds_t count, Limit limit, bool only_looks,
                 const void* caller) {
  const int first = count == 0 ? -1 : descriptors[0].fd;
  return static_cast<int>(in_c(wait_for_several(first, limit, only_looks, caller, [&](int ms) {
    return call_system(SYS_poll, descriptors, count, ms);
  })));
}

struct SelectSets {
  fd_set* read;
  fd_set* write;
  fd_set* error;
};

int wait_by_select(int count, const SelectSets& sets, Limit limit, bool only_looks,
                   const void* caller) {
  // The call writes what is ready over what was asked for.
  std::array<fd_set, 3> asked{};
  const std::array<fd_set*, 3> given{sets.read, sets.write, sets.error};
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != nullptr) asked[i] = *given[i];
  }
  int first = -1;
  for (int i = count; i-- > 0;) {
    for (std::size_t k = 0; k < given.size(); ++k) {
      if (given[k] != nullptr && FD_ISSET(i, &asked[k])) first = i;
    }
  }
  return static_cast<int>(in_c(wait_for_several(first, limit, only_looks, caller, [&](int ms) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i] != nullptr) *given[i] = asked[i];
    }
    timespec time{.tv_sec = 0, .tv_nsec = ms * 1'000'000L};
    return call_system(SYS_pselect6, count, sets.read, sets.write, sets.error, &time, nullptr);
  })));
}

int wait_by_epoll(int epoll, epoll_event* events, int most, int ms, const void* caller) {
  return static_cast<int>(
      in_c(wait_for_several(epoll, limit_after(ms), ms == 0, caller, [&](int limit) {
        return call_system(SYS_epoll_pwait, epoll, events, most, limit, nullptr, 8);
      })));
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

ssize_t read(int descriptor, void* memory, size_t size) {
  return runtime::input(descriptor, __builtin_return_address(0),
                        [&] { return runtime::call_system(SYS_read, descriptor, memory, size); });
}

ssize_t readv(int descriptor, const iovec* parts, int count) {
  return runtime::input(descriptor, __builtin_return_address(0),
                        [&] { return runtime::call_system(SYS_readv, descriptor, parts, count); });
}

ssize_t recv(int descriptor, void* memory, size_t size, int flags) {
  return runtime::input(descriptor, __builtin_return_address(0), [&] {
    return runtime::call_system(SYS_recvfrom, descriptor, memory, size, flags, nullptr, nullptr);
  });
}

ssize_t recvfrom(int descriptor, void* memory, size_t size, int flags, sockaddr* from,
                 socklen_t* length) {
  return runtime::input(descriptor, __builtin_return_address(0), [&] {
    return runtime::call_system(SYS_recvfrom, descriptor, memory, size, flags, from, length);
  });
}

ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  return runtime::input(descriptor, __builtin_return_address(0), [&] {
    return runtime::call_system(SYS_recvmsg, descriptor, message, flags);
  });
}

int accept4(int descriptor, sockaddr* from, socklen_t* length, int flags) {
  return static_cast<int>(runtime::input(descriptor, __builtin_return_address(0), [&] {
    return runtime::call_system(SYS_accept4, descriptor, from, length, flags);
  }));
}

int accept(int descriptor, sockaddr* from, socklen_t* length) {
  return static_cast<int>(runtime::input(descriptor, __builtin_return_address(0), [&] {
    return runtime::call_system(SYS_accept4, descriptor, from, length, 0);
  }));
}

ssize_t write(int descriptor, const void* memory, size_t size) {
  return runtime::output(descriptor, size, __builtin_return_address(0), [&](size_t done) {
    return runtime::call_system(SYS_write, descriptor, static_cast<const char*>(memory) + done,
                                size - done);
  });
}

// What does not fit at once is the caller's business, as it is without heddle for a signal.
ssize_t writev(int descriptor, const iovec* parts, int count) {
  return runtime::output(descriptor, 0, __builtin_return_address(0), [&](size_t) {
    return runtime::call_system(SYS_writev, descriptor, parts, count);
  });
}

ssize_t send(int descriptor, const void* memory, size_t size, int flags) {
  return runtime::output(descriptor, size, __builtin_return_address(0), [&](size_t done) {
    return runtime::call_system(SYS_sendto, descriptor, static_cast<const char*>(memory) + done,
                                size - done, flags, nullptr, 0);
  });
}

ssize_t sendto(int descriptor, const void* memory, size_t size, int flags, const sockaddr* to,
               socklen_t length) {
  return runtime::output(descriptor, 0, __builtin_return_address(0), [&](size_t) {
    return runtime::call_system(SYS_sendto, descriptor, memory, size, flags, to, length);
  });
}

ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  return runtime::output(descriptor, 0, __builtin_return_address(0), [&](size_t) {
    return runtime::call_system(SYS_sendmsg, descriptor, message, flags);
  });
}

int close(int descriptor) {
  if (!runtime::is_on_task() || !runtime::is_channel(descriptor)) {
    return static_cast<int>(runtime::in_c(runtime::call_system(SYS_close, descriptor)));
  }
  const runtime::InRuntime inside;
  runtime::ChannelWait{.descriptor = descriptor, .caller = __builtin_return_address(0)}.begin_step(
      runtime::OperationKind::descriptor_use);
  const long done = runtime::call_system(SYS_close, descriptor);
  runtime::has_used();
  return static_cast<int>(runtime::in_c(done));
}

int poll(pollfd* descriptors, nfds_t count, int ms) {
  if (!runtime::is_on_task()) {
    return static_cast<int>(runtime::in_c(runtime::call_system(SYS_poll, descriptors, count, ms)));
  }
  return runtime::wait_by_poll(descriptors, count, runtime::limit_after(ms), ms == 0,
                               __builtin_return_address(0));
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* time, const sigset_t* signals) {
  if (!runtime::is_on_task()) {
    timespec left = time == nullptr ? timespec{} : *time;
    return static_cast<int>(runtime::in_c(runtime::call_system(
        SYS_ppoll, descriptors, count, time == nullptr ? nullptr : &left, signals, 8)));
  }
  return runtime::wait_by_poll(descriptors, count, runtime::limit_after(time),
                               runtime::is_zero(time), __builtin_return_address(0));
}

int select(int count, fd_set* read, fd_set* write, fd_set* error, timeval* time) {
  if (!runtime::is_on_task()) {
    return static_cast<int>(
        runtime::in_c(runtime::call_system(SYS_select, count, read, write, error, time)));
  }
  timespec limit{};
  if (time != nullptr) limit = {.tv_sec = time->tv_sec, .tv_nsec = time->tv_usec * 1000};
  const timespec* given = time == nullptr ? nullptr : &limit;
  return runtime::wait_by_select(count, {read, write, error}, runtime::limit_after(given),
                                 runtime::is_zero(given), __builtin_return_address(0));
}

int epoll_wait(int epoll, epoll_event* events, int most, int ms) {
  if (!runtime::is_on_task()) {
    return static_cast<int>(
        runtime::in_c(runtime::call_system(SYS_epoll_pwait, epoll, events, most, ms, nullptr, 8)));
  }
  return runtime::wait_by_epoll(epoll, events, most, ms, __builtin_return_address(0));
}

int epoll_pwait(int epoll, epoll_event* events, int most, int ms, const sigset_t* signals) {
  if (!runtime::is_on_task()) {
    return static_cast<int>(
        runtime::in_c(runtime::call_system(SYS_epoll_pwait, epoll, events, most, ms, signals, 8)));
  }
  return runtime::wait_by_epoll(epoll, events, most, ms, __builtin_return_address(0));
}

// Queues of messages are descriptors, too, whatever they are called.
ssize_t mq_receive(mqd_t queue, char* memory, size_t size, unsigned* priority) {
  return runtime::use_queue(queue, POLLIN, nullptr, __builtin_return_address(0), [&] {
    return runtime::call_system(SYS_mq_timedreceive, queue, memory, size, priority, nullptr);
  });
}

int mq_send(mqd_t queue, const char* memory, size_t size, unsigned priority) {
  return static_cast<int>(
      runtime::use_queue(queue, POLLOUT, nullptr, __builtin_return_address(0), [&] {
        return runtime::call_system(SYS_mq_timedsend, queue, memory, size, priority, nullptr);
      }));
}

ssize_t mq_timedreceive(mqd_t queue, char* memory, size_t size, unsigned* priority,
                        const timespec* until) {
  return runtime::use_queue(queue, POLLIN, until, __builtin_return_address(0), [&] {
    return runtime::call_system(SYS_mq_timedreceive, queue, memory, size, priority,
                                runtime::is_on_task() ? nullptr : until);
  });
}

int mq_timedsend(mqd_t queue, const char* memory, size_t size, unsigned priority,
                 const timespec* until) {
  return static_cast<int>(
      runtime::use_queue(queue, POLLOUT, until, __builtin_return_address(0), [&] {
        return runtime::call_system(SYS_mq_timedsend, queue, memory, size, priority,
                                    runtime::is_on_task() ? nullptr : until);
      }));
}

#pragma GCC visibility pop
}
// NOLINTEND

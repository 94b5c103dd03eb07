// Signals that a program sends to itself and waits for. Whoever waits for one in sigwait() is a
// task that waits; a signal that all block stays until somebody asks for it. What nobody blocks
// does what it does without heddle: its handler runs where it is sent, or the process ends.
#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <unistd.h>

#include "sched/posix/clock_times.h"
#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(pid_t, int)> real_kill("kill");
LibraryFunction<int(int)> real_raise("raise");
LibraryFunction<int(pthread_t, int)> real_thread_kill("pthread_kill");
LibraryFunction<int(const sigset_t*, siginfo_t*, const timespec*)> real_signal_wait("sigtimedwait");
LibraryFunction<int(int, const sigset_t*, sigset_t*)> real_mask("pthread_sigmask");

using Deadline = std::optional<std::uint64_t>;

// Each signal is an object that tasks wait for; `done`: it was sent, and nobody has taken it;
// `owner`: who was woken up by it.
char places[NSIG];
SyncObject& signal_object(int signal) { return engine().object(&places[signal]); }
std::uintptr_t place_of_signal(int signal) {
  return reinterpret_cast<std::uintptr_t>(&places[signal]);
}

template <class Visit>
void for_each_signal(const sigset_t& signals, Visit visit) {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&signals, signal) == 1) visit(signal);
  }
}

int take_sent(const sigset_t& signals) {
  int taken = 0;
  for_each_signal(signals, [&](int signal) {
    SyncObject& object = signal_object(signal);
    if (taken != 0 || !object.done) return;
    object.done = false;
    engine().learn(object.clock);
    taken = signal;
  });
  return taken;
}

// 0: the time has come.
int wait_for_signal(const sigset_t& signals, Deadline deadline, const void* caller) {
  const InRuntime inside;
  int first = 0;
  for_each_signal(signals, [&](int signal) { first = first == 0 ? signal : first; });
  const Announcement announcement{
      .kind = OperationKind::signal_wait, .object = place_of_signal(first), .caller = caller};
  engine().step(announcement);
  if (const int sent = take_sent(signals)) return sent;
  const TaskId task = engine().running().id;
  for_each_signal(signals, [&](int signal) { signal_object(signal).waiters.push_back(task); });
  engine().request_cancelably(announcement, false, deadline);
  int came = 0;
  for_each_signal(signals, [&](int signal) {
    SyncObject& object = signal_object(signal);
    std::erase(object.waiters, task);
    if (object.owner != task) return;
    object.owner = kNobody;
    engine().learn(object.clock);
    came = signal;
  });
  engine().end_if_cancelled();
  return came;
}

// Whether the signal has reached somebody who waits, or waits itself; else it is to be sent really.
bool is_kept(int signal, const void* caller) {
  if (signal <= 0 || signal >= NSIG) return false;
  const InRuntime inside;
  SyncObject& object = signal_object(signal);
  sigset_t blocked;
  real_mask(SIG_BLOCK, nullptr, &blocked);
  if (object.waiters.empty() && sigismember(&blocked, signal) != 1) return false;
  engine().step(
      {.kind = OperationKind::signal_send, .object = place_of_signal(signal), .caller = caller});
  engine().tell(object.clock);
  if (object.waiters.empty()) {
    object.done = true;
    return true;
  }
  const TaskId woken = object.waiters.front();
  object.owner = woken;
  for (int other = 1; other < NSIG; ++other) std::erase(signal_object(other).waiters, woken);
  engine().enable(only(woken));
  return true;
}

int wait_or_fail(const sigset_t* signals, siginfo_t* info, const timespec* limit,
                 const void* caller) {
  const Deadline deadline = limit == nullptr ? std::nullopt : std::optional(deadline_after(*limit));
  const int signal = wait_for_signal(*signals, deadline, caller);
  if (signal == 0) {
    errno = EAGAIN;
    return -1;
  }
  if (info != nullptr) {
    *info = {};
    info->si_signo = signal;
    info->si_code = SI_USER;
    info->si_pid = getpid();
    info->si_uid = getuid();
  }
  return signal;
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int kill(pid_t process, int signal) {
  const bool own = runtime::is_on_task() && (process == getpid() || process == 0);
  if (own && runtime::is_kept(signal, __builtin_return_address(0))) return 0;
  return runtime::real_kill(process, signal);
}

int raise(int signal) {
  if (runtime::is_on_task() && runtime::is_kept(signal, __builtin_return_address(0))) return 0;
  return runtime::real_raise(signal);
}

int pthread_kill(pthread_t thread, int signal) {
  if (!runtime::is_on_task()) return runtime::real_thread_kill(thread, signal);
  if (runtime::is_kept(signal, __builtin_return_address(0))) return 0;
  // The threads of a test are one for the system.
  return signal == 0 ? 0 : runtime::real_raise(signal) == 0 ? 0 : errno;
}

int sigtimedwait(const sigset_t* signals, siginfo_t* info, const timespec* limit) {
  if (!runtime::is_on_task()) return runtime::real_signal_wait(signals, info, limit);
  return runtime::wait_or_fail(signals, info, limit, __builtin_return_address(0));
}

int sigwaitinfo(const sigset_t* signals, siginfo_t* info) {
  if (!runtime::is_on_task()) return runtime::real_signal_wait(signals, info, nullptr);
  return runtime::wait_or_fail(signals, info, nullptr, __builtin_return_address(0));
}

int sigwait(const sigset_t* signals, int* signal) {
  const int found = runtime::is_on_task() ? runtime::wait_or_fail(signals, nullptr, nullptr,
                                                                  __builtin_return_address(0))
                                          : runtime::real_signal_wait(signals, nullptr, nullptr);
  if (found < 0) return errno;
  *signal = found;
  return 0;
}

#pragma GCC visibility pop
}
// NOLINTEND

// Signals that a program sends to itself. Whoever waits for one in sigwait() is a task that waits;
// a signal that is blocked stays until somebody asks for it or no longer blocks it; a handler runs
// in the thread that it is for (sched/runtime/signal_handlers.cc). What has no handler does to the
// process what it does without heddle.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <pthread.h>
#include <unistd.h>

#include "sched/posix/clock_times.h"
#include "sched/posix/interruptions.h"
#include "sched/posix/threads.h"
#include "sched/runtime/libc.h"
#include "sched/runtime/process_ends.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(pid_t, int)> real_kill("kill");
LibraryFunction<int(int)> real_raise("raise");
LibraryFunction<int(pthread_t, int)> real_thread_kill("pthread_kill");
LibraryFunction<int(const sigset_t*, siginfo_t*, const timespec*)> real_signal_wait("sigtimedwait");
LibraryFunction<int(int, const sigset_t*, sigset_t*)> real_mask("pthread_sigmask");
LibraryFunction<int(int, const sigset_t*, sigset_t*)> real_process_mask("sigprocmask");
LibraryFunction<int(const sigset_t*)> real_suspend("sigsuspend");
LibraryFunction<int()> real_pause("pause");
LibraryFunction<int(sigset_t*)> real_pending("sigpending");

using Deadline = std::optional<std::uint64_t>;

// Each signal is an object that tasks wait for; `owner`: who was woken up by it.
char places[NSIG];
SyncObject& signal_object(int signal) { return engine().object(&places[signal]); }
std::uintptr_t place_of_signal(int signal) {
  return reinterpret_cast<std::uintptr_t>(&places[signal]);
}
// What one thread alone waits for.
std::uintptr_t place_of_signals(const Task& task) {
  return reinterpret_cast<std::uintptr_t>(&task.signals);
}

template <class Visit>
void for_each_signal(const sigset_t& signals, Visit visit) {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&signals, signal) == 1) visit(signal);
  }
}

// Of those that were sent to the running thread, then of those to the process; 0: none.
int take_sent(const sigset_t& signals) {
  const SignalSet wanted = signals_of(signals);
  Task& task = engine().running();
  for (SignalSet* sent : {&task.signals.sent, &engine().waiting_signals()}) {
    const SignalSet found = *sent & wanted;
    if (found == 0) continue;
    const int signal = __builtin_ctzll(found) + 1;
    *sent &= ~only_signal(signal);
    engine().learn(signal_object(signal).clock);
    return signal;
  }
  return 0;
}

int fail_interrupted() {
  errno = EINTR;
  return -1;
}

// 0: the time has come; below: a handler of another signal has run.
int wait_for_signal(const sigset_t& signals, Deadline deadline, const void* caller) {
  const InRuntime inside;
  int first = 0;
  for_each_signal(signals, [&](int signal) { first = first == 0 ? signal : first; });
  const Announcement announcement{
      .kind = OperationKind::signal_wait, .object = place_of_signal(first), .caller = caller};
  engine().step(announcement);
  if (const int sent = take_sent(signals)) return sent;
  const Interruptible interruptible(Interruption::always);
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
  return came == 0 && interruptible.came() ? fail_interrupted() : came;
}

bool has_handler(int signal) {
  struct sigaction action{};
  sigaction(signal, nullptr, &action);
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool blocks(const Task& task, int signal) {
  return (task.signals.all_blocked() & only_signal(signal)) != 0;
}

// Who handles a signal to the process: the running thread if it does not block it, else the first
// that does not. Null: all block it.
Task* handler_of(int signal) {
  Task& running = engine().running();
  if (!blocks(running, signal)) return &running;
  for (TaskSet left = engine().alive(); left != 0; left &= left - 1) {
    Task& task = engine().task(first_of(left));
    if (!blocks(task, signal)) return &task;
  }
  return nullptr;
}

// Who waits for the signal, or nobody; `to`: the thread it is sent to, null: the process.
int waiter_for(int signal, const Task* to) {
  const std::vector<TaskId>& waiters = signal_object(signal).waiters;
  if (to == nullptr) return waiters.empty() ? kNobody : waiters.front();
  const bool waits = std::find(waiters.begin(), waiters.end(), to->id) != waiters.end();
  return waits ? to->id : kNobody;
}

// What tells of the program's own mistakes is the runtime's to handle, as is what asks where
// threads are.
bool is_own(int signal) {
  for (const int own : {kSurveySignal, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    if (signal == own) return true;
  }
  return false;
}

// Whether the system is to send it: nobody waits for it, keeps it for later, or handles it.
bool is_for_system(int signal, const Task* to) {
  if (waiter_for(signal, to) != kNobody) return false;
  if (is_own(signal)) return true;
  const bool kept = to == nullptr ? handler_of(signal) == nullptr : blocks(*to, signal);
  return !kept && !has_handler(signal);
}

void send_to_waiter(SyncObject& object, TaskId woken) {
  object.owner = woken;
  for (int other = 1; other < NSIG; ++other) std::erase(signal_object(other).waiters, woken);
  engine().enable(only(woken));
}

// False: it is to be sent really. `to`: as `waiter_for`.
bool send(int signal, Task* to, const void* caller) {
  if (signal <= 0 || signal >= NSIG) return false;
  const InRuntime inside;
  engine().forget_left_handlers();
  if (is_for_system(signal, to)) return false;
  engine().step(
      {.kind = OperationKind::signal_send, .object = place_of_signal(signal), .caller = caller});
  SyncObject& object = signal_object(signal);
  engine().tell(object.clock);
  if (const int waiter = waiter_for(signal, to); waiter != kNobody) {
    send_to_waiter(object, static_cast<TaskId>(waiter));
    return true;
  }
  if (is_for_system(signal, to)) return false;
  Task* handler = to == nullptr ? handler_of(signal) : to;
  if (handler == nullptr) {
    engine().waiting_signals() |= only_signal(signal);
    return true;
  }
  engine().send_signal(*handler, signal);
  Task& running = engine().running();
  // It has handled what it sends to itself when the call returns.
  if (handler == &running) engine().block_signals(running.signals.blocked);
  return true;
}

// Until a handler has run. `blocked`: what is blocked meanwhile.
int wait_for_handler(std::optional<SignalSet> blocked, const void* caller) {
  const InRuntime inside;
  Task& task = engine().running();
  const Announcement announcement{
      .kind = OperationKind::signal_wait, .object = place_of_signals(task), .caller = caller};
  engine().step(announcement);
  const Interruptible wait(Interruption::always);
  const SignalSet before = task.signals.blocked;
  if (blocked) engine().block_signals(*blocked);
  if (!wait.came()) engine().request_cancelably(announcement, false);
  task.signals.blocked = before;
  engine().end_if_cancelled();
  return fail_interrupted();
}

sigset_t without_own(const sigset_t& signals) {
  sigset_t left = signals;
  for_each_signal(signals, [&](int signal) {
    if (is_own(signal)) sigdelset(&left, signal);
  });
  return left;
}

// `mask` is the system's own function, for what comes from outside of the program.
template <class Mask>
int mask_signals(int how, const sigset_t* signals, sigset_t* before, Mask& mask,
                 const void* caller) {
  if (!is_on_task()) return mask(how, signals, before);
  const InRuntime inside;
  engine().forget_left_handlers();
  Task& task = engine().running();
  if (before != nullptr) *before = to_signals(task.signals.all_blocked());
  if (signals == nullptr) return 0;
  const sigset_t given = how == SIG_UNBLOCK ? *signals : without_own(*signals);
  if (const int error = mask(how, &given, nullptr)) return error;
  SignalSet blocked = signals_of(given);
  if (how == SIG_BLOCK) blocked |= task.signals.blocked;
  if (how == SIG_UNBLOCK) blocked = task.signals.blocked & ~blocked;
  // Whether something was sent is another thread's doing.
  if ((task.signals.blocked & ~blocked) != 0) {
    engine().step({.kind = OperationKind::signal_wait,
                   .object = place_of_signals(task),
                   .changes = false,
                   .caller = caller});
  }
  engine().block_signals(blocked);
  return 0;
}

int wait_or_fail(const sigset_t* signals, siginfo_t* info, const timespec* limit,
                 const void* caller) {
  const Deadline deadline = limit == nullptr ? std::nullopt : std::optional(deadline_after(*limit));
  const int signal = wait_for_signal(*signals, deadline, caller);
  if (signal == 0) errno = EAGAIN;
  if (signal <= 0) return -1;
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
  if (own && runtime::send(signal, nullptr, __builtin_return_address(0))) return 0;
  return runtime::real_kill(process, signal);
}

int raise(int signal) {
  if (runtime::is_on_task() &&
      runtime::send(signal, &runtime::engine().running(), __builtin_return_address(0))) {
    return 0;
  }
  return runtime::real_raise(signal);
}

int pthread_kill(pthread_t thread, int signal) {
  if (!runtime::is_on_task()) return runtime::real_thread_kill(thread, signal);
  runtime::Task* to = runtime::find_task(thread);
  if (to == nullptr || to->ended) return signal == 0 && to != nullptr ? 0 : ESRCH;
  if (runtime::send(signal, to, __builtin_return_address(0))) return 0;
  // The threads of a test are one for the system.
  return signal == 0 || runtime::real_raise(signal) == 0 ? 0 : errno;
}

int pthread_sigmask(int how, const sigset_t* signals, sigset_t* before) {
  return runtime::mask_signals(how, signals, before, runtime::real_mask,
                               __builtin_return_address(0));
}

int sigprocmask(int how, const sigset_t* signals, sigset_t* before) {
  return runtime::mask_signals(how, signals, before, runtime::real_process_mask,
                               __builtin_return_address(0));
}

int sigsuspend(const sigset_t* signals) {
  if (!runtime::is_on_task()) return runtime::real_suspend(signals);
  return runtime::wait_for_handler(runtime::signals_of(runtime::without_own(*signals)),
                                   __builtin_return_address(0));
}

int pause() {
  if (!runtime::is_on_task()) return runtime::real_pause();
  return runtime::wait_for_handler(std::nullopt, __builtin_return_address(0));
}

int sigpending(sigset_t* signals) {
  if (!runtime::is_on_task()) return runtime::real_pending(signals);
  const runtime::InRuntime inside;
  *signals = runtime::to_signals(runtime::engine().running().signals.sent |
                                 runtime::engine().waiting_signals());
  return 0;
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

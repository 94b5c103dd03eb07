// Handlers of signals that a program sends to its own threads. Each runs in the thread it is meant
// for, before that thread's next step, on its own stack.
#include <ucontext.h>
#include <unistd.h>
#include <utility>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

constexpr int kSignals = 64;

LibraryFunction<int(int)> send_really("raise");
LibraryFunction<int(int, const sigset_t*, sigset_t*)> mask_really("pthread_sigmask");

int first_signal(SignalSet signals) { return __builtin_ctzll(signals) + 1; }

// What it does without a handler, as the system does it: to the process.
void act_by_default(int signal) {
  const sigset_t one = to_signals(only_signal(signal));
  mask_really(SIG_UNBLOCK, &one, nullptr);
  send_really(signal);
}

// What the program has said that the signal does.
struct Disposition {
  struct sigaction action{};

  explicit Disposition(int signal) { sigaction(signal, nullptr, &action); }

  bool has_handler() const { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }
  SignalSet blocks(int signal) const {
    const bool again = (action.sa_flags & SA_NODEFER) != 0;
    return signals_of(action.sa_mask) | (again ? 0 : only_signal(signal));
  }
  void call(int signal) const {
    if ((action.sa_flags & SA_SIGINFO) == 0) {
      action.sa_handler(signal);
      return;
    }
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = SI_TKILL;
    info.si_pid = getpid();
    info.si_uid = getuid();
    ucontext_t context{};
    getcontext(&context);
    action.sa_sigaction(signal, &info, &context);
  }
};

// Whether the wait that the handler ran in ends with it.
bool ends_wait(Interruption interruption, const struct sigaction& action) {
  if (interruption == Interruption::unless_restarted) return (action.sa_flags & SA_RESTART) == 0;
  return interruption == Interruption::always;
}

}  // namespace

SignalSet signals_of(const sigset_t& signals) {
  SignalSet set = 0;
  for (int signal = 1; signal <= kSignals; ++signal) {
    if (sigismember(&signals, signal) == 1) set |= only_signal(signal);
  }
  return set;
}

sigset_t to_signals(SignalSet signals) {
  sigset_t set;
  sigemptyset(&set);
  for (; signals != 0; signals &= signals - 1) sigaddset(&set, first_signal(signals));
  return set;
}

void Engine::send_signal(Task& task, int signal) {
  task.signals.sent |= only_signal(signal);
  tell_also(task.signals.told);
  task.signals.told_any = true;
  changed(reinterpret_cast<std::uintptr_t>(&task));
  spinning_ &= ~only(task.id);
  let_handle(task);
}

void Engine::let_handle(Task& task) {
  if (task.signals.due() == 0) return;
  task.attends = true;
  due_ |= only(task.id);
  if (task.begun) suspend(only(task.id) & ~enabled_);
}

// Tasks that wait go on. What would have let them go on until they wait again is kept apart.
void Engine::suspend(TaskSet tasks) {
  for (TaskSet left = tasks; left != 0; left &= left - 1) {
    tasks_[first_of(left)].signals.suspended = true;
  }
  timed_ &= ~tasks;
  woken_ &= ~(tasks & ~handling_);
  handling_ |= tasks;
  enabled_ |= tasks;
}

// A handler that was left by a jump does not run any more: what is below it on the stack is gone.
void Engine::forget_left_handlers(Task& task) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  std::vector<HandledSignal>& handlers = task.signals.handlers;
  while (!handlers.empty() && handlers.back().frame < here) {
    handlers.pop_back();
    task.signals.interruption = Interruption::no;
  }
  if (!handlers.empty()) return;
  handling_ &= ~only(task.id);
  woken_ &= ~only(task.id);
}

// What was sent to the task before is handled before it waits, and does not end the wait.
void Engine::handle_before_wait(Task& task) {
  let_handle(task);
  task.signals.early = task.signals.suspended;
}

void Engine::block_signals(SignalSet signals) {
  Task& task = *running_;
  forget_left_handlers();
  task.signals.blocked = signals;
  const SignalSet unblocked = waiting_signals_ & ~task.signals.all_blocked();
  waiting_signals_ &= ~unblocked;
  task.signals.sent |= unblocked;
  while (const SignalSet due = task.signals.due()) {
    if (handle_signal(task, first_signal(due))) ++task.signals.interrupted;
  }
}

// Whether the wait that it ran in ends with it.
bool Engine::handle_signal(Task& task, int signal) {
  TaskSignals& signals = task.signals;
  signals.sent &= ~only_signal(signal);
  const Disposition disposition(signal);
  if (!disposition.has_handler()) {
    if (disposition.action.sa_handler == SIG_DFL) act_by_default(signal);
    return false;
  }
  if ((disposition.action.sa_flags & SA_RESETHAND) != 0) ::signal(signal, SIG_DFL);
  learn(signals.told);
  const SignalSet blocked = signals.blocked;
  const Interruption interruption = signals.interruption;
  const std::uint32_t interrupted = signals.interrupted;
  signals.handlers.push_back({.frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                              .blocked = disposition.blocks(signal)});
  signals.interruption = Interruption::no;
  hooked = task.thread->carrier().thread_pointer;
  disposition.call(signal);
  hooked = nullptr;
  signals.handlers.pop_back();
  signals.blocked = blocked;
  signals.interruption = interruption;
  signals.interrupted = interrupted;
  return ends_wait(interruption, disposition.action);
}

// The task has the turn. What it has announced is still to be done, and announced again: what a
// handler does are steps of its own.
void Engine::attend(Task& task) {
  if (task.cancellation.at_once && task.cancellation.is_due()) exit_thread(PTHREAD_CANCELED);
  forget_left_handlers();
  const TaskSet self = only(task.id);
  const SignalSet due = task.signals.due();
  due_ &= ~self;
  if (due == 0 && !task.signals.suspended) {
    task.attends = task.cancellation.at_once;
    return;
  }
  const Announcement again{
      .kind = task.announced, .object = task.object, .changes = pending_[task.id].changes};
  const bool timed_out = task.timed_out;
  const bool waits = std::exchange(task.signals.suspended, false);
  const bool timed = task.signals.timed;
  const std::uint64_t deadline = task.deadline;
  // Others let it go on, or not, with what it has announced, while it does what the handler does.
  const bool outermost = task.signals.handlers.empty();
  if (outermost && !waits) woken_ |= self;
  if (outermost) handling_ |= self;
  const bool early = std::exchange(task.signals.early, false);
  const bool ends = due != 0 && handle_signal(task, first_signal(due)) && !early;
  if (ends) ++task.signals.interrupted;

  const bool can = outermost ? (woken_ & self) != 0 : !waits;
  if (outermost) {
    handling_ &= ~self;
    woken_ &= ~self;
  }
  announce(again);
  task.timed_out = timed_out;
  if (timed_out || (waits && ends)) return;
  if (!can) {
    enabled_ &= ~(self & ~cancelled_);
    task.deadline = deadline;
    if (timed) timed_ |= self;
  }
  let_handle(task);
  decide();
}

}  // namespace heddle::sched::runtime

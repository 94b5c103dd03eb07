#include "sched/process/survey_signal.h"

#include <csignal>
#include <initializer_list>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"
#include "sched/runtime/process_ends.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int(int, const sigset_t*, sigset_t*)> real_thread_mask("pthread_sigmask");
LibraryFunction<int(int, const sigset_t*, sigset_t*)> real_process_mask("sigprocmask");

// A task that hands over has a thread of the system to itself, which is not the driver's.
void pass_to_running_thread(Engine& here) {
  pthread_kill(here.running().thread->handle(), kSurveySignal);
}

void answer(int /*signal*/) {
  Engine* here = the_engine;
  if (here != nullptr && here->is_executing()) {
    if (here->running().thread->carrier().thread_pointer == thread_pointer()) {
      here->survey();
      __atomic_store_n(&here->flight().surveyed, 1, __ATOMIC_RELEASE);
    } else {
      pass_to_running_thread(*here);
    }
  }
  // What was interrupted does not go on: whoever asked ends the process.
  for (;;) system_call(SYS_pause, {});
}

// Signals that tell of what the program does itself are let through, whatever it asks for.
sigset_t without_own(const sigset_t& signals) {
  sigset_t left = signals;
  for (const int own : {kSurveySignal, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&left, own);
  }
  return left;
}

}  // namespace

void handle_survey_signal() {
  struct sigaction action{};
  action.sa_handler = answer;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  sigaction(kSurveySignal, &action, nullptr);
}

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

int pthread_sigmask(int how, const sigset_t* signals, sigset_t* before) {
  if (!runtime::is_on_task() || signals == nullptr || how == SIG_UNBLOCK) {
    return runtime::real_thread_mask(how, signals, before);
  }
  const sigset_t allowed = runtime::without_own(*signals);
  return runtime::real_thread_mask(how, &allowed, before);
}

int sigprocmask(int how, const sigset_t* signals, sigset_t* before) {
  if (!runtime::is_on_task() || signals == nullptr || how == SIG_UNBLOCK) {
    return runtime::real_process_mask(how, signals, before);
  }
  const sigset_t allowed = runtime::without_own(*signals);
  return runtime::real_process_mask(how, &allowed, before);
}

#pragma GCC visibility pop
}
// NOLINTEND

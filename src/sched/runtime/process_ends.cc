// What would end the process ends the execution: abort, exit, a failed assertion, a signal that the
// task itself raised.
#include "sched/runtime/process_ends.h"

#include <cstdlib>
#include <signal.h>
#include <string>
#include <unistd.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<void()> real_abort("abort");
LibraryFunction<void(int)> real_process_exit("exit");
LibraryFunction<void(const char*, const char*, unsigned, const char*)> real_assert_fail(
    "__assert_fail");

constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
struct sigaction before[NSIG];

// Not the test's own: as if nobody handled it.
void pass_on(int signal) {
  sigaction(signal, &before[signal], nullptr);
  raise(signal);
}

void handle_crash(int signal, siginfo_t* info, void* /*context*/) {
  Engine* here = the_engine;
  if (here == nullptr || !here->is_executing() ||
      here->running().thread->carrier().thread_pointer != thread_pointer()) {
    pass_on(signal);
    return;
  }
  // The handler is never returned to: what it blocks is let through again.
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal);
  sigprocmask(SIG_UNBLOCK, &own, nullptr);
  here->crash(signal, info->si_addr);
}

}  // namespace

void handle_crashes() {
  for (const int signal : kCrashes) {
    struct sigaction action{};
    action.sa_sigaction = handle_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &action, &before[signal]);
  }
}

void stop_handling_crashes() {
  for (const int signal : kCrashes) sigaction(signal, &before[signal], nullptr);
}

void use_signal_stack() {
  constexpr std::size_t kSize = std::size_t{64} << 10;
  stack_t stack{};
  stack.ss_sp = malloc(kSize);
  stack.ss_size = kSize;
  sigaltstack(&stack, nullptr);
}

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
extern "C" {
#pragma GCC visibility push(default)

void abort() {
  if (!runtime::is_on_task()) {
    runtime::real_abort();
    __builtin_unreachable();
  }
  runtime::hooked = nullptr;
  runtime::engine().fail_at_abort();
}

void exit(int status) {
  if (!runtime::is_on_task()) {
    runtime::real_process_exit(status);
    __builtin_unreachable();
  }
  runtime::hooked = nullptr;
  runtime::engine().fail(runtime::FailureKind::exit, "exit(" + std::to_string(status) + ")");
}

void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (!runtime::is_on_task()) {
    runtime::real_assert_fail(expression, file, line, function);
    __builtin_unreachable();
  }
  runtime::hooked = nullptr;
  runtime::engine().fail(runtime::FailureKind::assertion, expression);
}

#pragma GCC visibility pop
}
// NOLINTEND

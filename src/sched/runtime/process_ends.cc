// What would end the process ends the execution: abort, exit, a failed assertion, a signal that the
// task itself raised.
#include "sched/runtime/process_ends.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <string>
#include <string_view>
#include <unistd.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<void()> real_abort("abort");
LibraryFunction<void(int)> real_process_exit("exit");
LibraryFunction<void(int)> real_quick_exit("quick_exit");
LibraryFunction<void(int)> real_exit_at_once("_exit");
LibraryFunction<void(const char*, const char*, unsigned, const char*)> real_assert_fail(
    "__assert_fail");

TaskId ending_task = 0;  // who has called exit()

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
  const std::uint64_t own = std::uint64_t{1} << (signal - 1);
  system_call(SYS_rt_sigprocmask, {SIG_UNBLOCK, reinterpret_cast<long>(&own), 0, sizeof own});
  here->crash(signal, info->si_addr);
}

}  // namespace

namespace {

using Function = void (*)();

// What the linker gathers of the program (System V ABI: Initialization and Termination Functions).
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
__attribute__((visibility("hidden"), weak)) extern void (*__init_array_start[])(int, char**,
                                                                                char**);
__attribute__((visibility("hidden"), weak)) extern void (*__init_array_end[])(int, char**, char**);
__attribute__((visibility("hidden"), weak)) extern Function __fini_array_start[];
__attribute__((visibility("hidden"), weak)) extern Function __fini_array_end[];
int __cxa_atexit(void (*call)(void*), void* argument, void* library);
int __cxa_at_quick_exit(void (*call)(void*), void* library);
}
// NOLINTEND(readability-identifier-naming)

// Registered before anything of the program's own, and so called last.
void end_after_handlers(void* /*unused*/) {
  if (!is_on_task()) return;  // a process that the program has forked
  for (Function* last = __fini_array_end; last != __fini_array_start;) (*--last)();
  fflush(nullptr);
  hooked = nullptr;
  engine().end_program();
}

void end_after_quick_handlers(void* /*unused*/) {
  if (!is_on_task()) return;
  hooked = nullptr;
  engine().end_program();
}

// Whoever calls it first ends the program; other threads that do wait for ever.
void begin_end(int status) {
  const InRuntime inside;
  const bool first = !engine().exit_status();
  engine().note_exit(status);
  if (first) {
    ending_task = engine().running().id;
  } else if (engine().running().id != ending_task) {
    engine().request({.kind = OperationKind::end, .changes = false}, false);
  }
}

}  // namespace

namespace {

// The texts at places that are the same in each process: where the system puts them depends on how
// long they all are, and an access to them has more parts the less they are aligned.
char** at_fixed_places(char* const* texts, std::string_view left_out) {
  constexpr std::size_t kAligned = 16;
  Arena& arena = engine().arena();
  std::size_t count = 0;
  while (texts[count] != nullptr) ++count;
  auto* kept = static_cast<char**>(arena.allocate((count + 1) * sizeof(char*), kAligned));
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view text = texts[i];
    if (!left_out.empty() && text.starts_with(left_out)) continue;
    kept[next] = static_cast<char*>(arena.allocate(text.size() + 1, kAligned));
    memcpy(kept[next], text.data(), text.size() + 1);
    ++next;
  }
  kept[next] = nullptr;
  return kept;
}

void run_whole(const void* own_main) {
  OwnMain program = *static_cast<const OwnMain*>(own_main);
  program.words = at_fixed_places(program.words, {});
  // What heddle is asked for differs between a search and a replay, and is not for the program.
  environ = at_fixed_places(environ, "HEDDLE_");
  __cxa_atexit(end_after_handlers, nullptr, nullptr);
  __cxa_at_quick_exit(end_after_quick_handlers, nullptr);
  if (program.begin != nullptr) {
    program.begin(program.count, program.words, environ);
  } else {
    for (auto* next = __init_array_start; next != __init_array_end; ++next) {
      (*next)(program.count, program.words, environ);
    }
  }
  exit(program.main(program.count, program.words, environ));
}

}  // namespace

// An exception that nobody catches ends the program where it is thrown.
void run_program(const OwnMain& program) { heddle_sched_call_as_first(run_whole, &program); }

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
  if (!runtime::engine().options().is_program) {
    runtime::hooked = nullptr;
    runtime::engine().fail(runtime::FailureKind::exit, "exit(" + std::to_string(status) + ")");
  }
  runtime::begin_end(status);
  runtime::run_thread_local_destructors(runtime::engine().running());
  runtime::real_process_exit(status);
  __builtin_unreachable();
}

void quick_exit(int status) {
  if (!runtime::is_on_task()) {
    runtime::real_quick_exit(status);
    __builtin_unreachable();
  }
  if (!runtime::engine().options().is_program) exit(status);
  runtime::begin_end(status);
  runtime::real_quick_exit(status);
  __builtin_unreachable();
}

void _exit(int status) {
  if (!runtime::is_on_task()) {
    runtime::real_exit_at_once(status);
    __builtin_unreachable();
  }
  if (!runtime::engine().options().is_program) exit(status);
  runtime::hooked = nullptr;
  runtime::engine().note_exit(status);
  runtime::engine().end_program();
}

void _Exit(int status) { _exit(status); }

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

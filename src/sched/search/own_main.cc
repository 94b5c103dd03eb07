// A program with a main of its own: what begins it begins a search instead, whose executions are
// the program. Each is made by a process that is forked before any of the program has run, so that
// constructors of static objects and what they start are part of it.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <errno.h>
#include <string>
#include <sys/personality.h>
#include <unistd.h>

#include "sched/process/debugger.h"
#include "sched/process/program_input.h"
#include "sched/process/watchdog.h"
#include "sched/report/failure_report.h"
#include "sched/report/report_files.h"
#include "sched/report/stuck_report.h"
#include "sched/runtime/libc.h"
#include "sched/runtime/process_ends.h"
#include "sched/search/search.h"
#include "sched/test/framework.h"
#include "sched/test/output.h"

namespace heddle::sched::runtime {

namespace {

using Begin = int (*)(int, char**, char**);

LibraryFunction<int(Begin, int, char**, Begin, void (*)(), void (*)(), void*)> real_start(
    "__libc_start_main");

// Addresses of the program's own objects are the same each time it is started, where the system
// lets it choose.
void fix_addresses(char** words) {
  constexpr unsigned long kAsk = 0xFFFFFFFF;
  const int now = personality(kAsk);
  if (now < 0 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  const auto wanted = static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE;
  if (personality(wanted) < 0 || (personality(kAsk) & ADDR_NO_RANDOMIZE) == 0) return;
  char path[4096] = {};
  // By its own path, so that its name in the list of processes stays.
  if (readlink("/proc/self/exe", path, sizeof path - 1) > 0) execve(path, words, environ);
  personality(static_cast<unsigned long>(now));
}

void run_as_body(void* program) { run_program(*static_cast<OwnMain*>(program)); }

Answer execute_program(OwnMain& program) {
  const std::optional<Token> token = token_to_replay();
  const bool here = token && is_debugged(getpid());
  const Options options =
      with_environment({.isolate = here ? Isolate::no : Isolate::process, .jobs = 0});
  const ProgramInput input;
  open_engine();
  use_watched_flight(0);
  Test test(run_as_body, &program, options);
  test.set_program(expected_exit(), [&input] { input.begin_execution(); });
  // Under a debugger an execution is made by the process that is debugged.
  if (here) return replay_to(test, *token, debugger_stop().value_or(DebuggerStop{}));
  test.set_name(test_name(options));
  Answer answer;
  {
    const Quiet quiet;
    answer = token ? replay_token(test, *token) : search_and_keep(test);
  }
  write_reports(test.name(), answer);
  return answer;
}

[[noreturn]] void start_program(OwnMain program) {
  if (!is_debugged(getpid())) fix_addresses(program.words);
  start_watchdog({.seconds = watchdog_seconds(),
                  .owns_descendants = true,
                  .command = command_line(),
                  .describe = describe_stuck});
  const Answer answer = execute_program(program);
  const std::string told = answer.passed
                               ? "heddle: " + std::to_string(answer.executions) +
                                     (answer.executions == 1 ? " execution" : " executions") +
                                     ", none failed: " + answer.coverage + "\n"
                               : answer.failure.report;
  write_error(told.c_str());
  _exit(answer.passed ? 0 : 1);
}

}  // namespace

}  // namespace heddle::sched::runtime

// NOLINTBEGIN: the name is the linker's, for what stands before the C library's own.
extern "C" {
#pragma GCC visibility push(default)

int __wrap___libc_start_main(heddle::sched::runtime::Begin main, int count, char** words,
                             heddle::sched::runtime::Begin begin, ...) {
  const char* wish = getenv("HEDDLE_SCHED");
  if (wish != nullptr && strcmp(wish, "off") == 0) {
    va_list more;
    va_start(more, begin);
    const auto end = va_arg(more, void (*)());
    const auto end_loader = va_arg(more, void (*)());
    void* stack_end = va_arg(more, void*);
    va_end(more);
    return heddle::sched::runtime::real_start(main, count, words, begin, end, end_loader,
                                              stack_end);
  }
  if (wish != nullptr) heddle::sched::runtime::stop_program("heddle: HEDDLE_SCHED can only be off");
  heddle::sched::runtime::start_program(
      {.main = main, .count = count, .words = words, .begin = begin});
}

#pragma GCC visibility pop
}
// NOLINTEND

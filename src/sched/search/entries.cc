// What include/heddle/sched.h calls.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/personality.h>
#include <unistd.h>

#include "sched/process/watchdog.h"
#include "sched/report/failure_report.h"
#include "sched/report/globals.h"
#include "sched/report/report_files.h"
#include "sched/report/stuck_report.h"
#include "sched/runtime/libc.h"
#include "sched/search/search.h"
#include "sched/test/build_check.h"
#include "sched/test/framework.h"
#include "sched/test/output.h"
#include "sched/test/reached.h"

namespace heddle::sched::entry {

extern "C" {
#pragma GCC visibility push(default)

void heddle_sched_verify_build(void (*sample)(void*)) {
  if (runtime::the_engine == nullptr) {
    runtime::start_watchdog({.seconds = runtime::watchdog_seconds(),
                             .command = {},
                             .describe = runtime::describe_stuck});
    runtime::open_engine();
    runtime::use_watched_flight(0);
  }
  runtime::verify_build(sample);
}

void heddle_sched_check(void (*body)(void*), void* state, const Options* options, Answer* answer) {
  const std::uint64_t number = runtime::next_test_number();
  const std::string name = runtime::test_name(*options);
  const std::optional<runtime::Token> token = runtime::token_to_replay();
  if (token && token->check != number) {
    *answer = runtime::left_out();
    return;
  }
  runtime::Test test(body, state, runtime::with_environment(*options));
  test.set_number(number);
  test.set_name(name);
  {
    const runtime::InFramework in_framework;
    const runtime::Quiet quiet;
    if (token) {
      *answer = runtime::replay_token(test, *token);
    } else {
      *answer = options->quiet ? runtime::search(test, {}) : runtime::search_and_keep(test);
    }
  }
  if (options->quiet) {
    runtime::forget_reports();
    return;
  }
  runtime::write_reports(name, *answer);
  if (!answer->passed) {
    runtime::report_failure(*answer);
  } else if (!answer->left_behind.empty()) {
    fputs(("heddle: note: " + runtime::describe_left(answer->left_behind) + "\n").c_str(), stderr);
  }
}

void heddle_sched_run(std::uint64_t seed, void (*body)(void*), void* state, const Options* options,
                      Outcome* outcome) {
  const runtime::InFramework in_framework;
  runtime::Test test(body, state, runtime::with_environment(*options));
  const auto strategy = runtime::random_walk(seed);
  strategy->begin_execution();
  test.learn_shared();
  const runtime::Execution& execution = test.execute(*strategy);
  outcome->passed = !execution.failed();
  outcome->events = execution.events;
  outcome->token = runtime::token_of(test, execution);
  if (execution.failed()) {
    outcome->failure.kind = runtime::name(execution.failure.kind);
    outcome->failure.what = execution.failure.what;
    outcome->failure.token = outcome->token;
  }
}

void heddle_sched_point(const char* /*label*/, const void* object) {
  if (!runtime::is_on_task()) return;
  const runtime::InRuntime inside;
  runtime::engine().step({.kind = runtime::OperationKind::point,
                          .object = reinterpret_cast<std::uintptr_t>(object),
                          .caller = __builtin_return_address(0)});
}

std::uint32_t heddle_sched_choose(std::uint32_t count) {
  if (!runtime::is_on_task()) return 0;
  const runtime::InRuntime inside;
  return runtime::engine().choose(count, false);
}

void heddle_sched_name(const void* object, std::size_t size, const char* name) {
  if (!runtime::is_on_task()) return;
  const runtime::InRuntime inside;
  if (!runtime::engine().options().record) return;
  runtime::engine().name_memory({reinterpret_cast<std::uintptr_t>(object), size, name});
}

void heddle_sched_reached(const char* label) {
  if (!runtime::is_on_task()) return;
  const runtime::InRuntime inside;
  runtime::note_reached(label);
}

void heddle_sched_begin_invariant(bool (*holds)(void*), void* state, const char* text) {
  if (!runtime::is_on_task()) return;
  const runtime::InRuntime inside;
  runtime::engine().begin_invariant({holds, state, text});
}

void heddle_sched_end_invariant(void* state) {
  if (!runtime::is_on_task()) return;
  const runtime::InRuntime inside;
  runtime::engine().end_invariant(state);
}

void heddle_sched_begin_ignore() {
  if (runtime::is_on_task()) ++runtime::engine().running().ignoring;
}

void heddle_sched_end_ignore() {
  if (runtime::is_on_task()) --runtime::engine().running().ignoring;
}

bool heddle_sched_is_executing() { return runtime::is_on_task(); }

void heddle_sched_fail(const char* what) {
  if (!runtime::is_on_task()) runtime::stop_program(what);
  const runtime::InRuntime inside;
  runtime::engine().fail(runtime::FailureKind::assertion, what);
}

#pragma GCC visibility pop
}

}  // namespace heddle::sched::entry

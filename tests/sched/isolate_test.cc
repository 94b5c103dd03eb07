// Executions in processes of their own: what one leaves behind, nobody finds; and it may end in any
// way.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::fail;
using heddle::sched::Isolate;
using heddle::sched::Options;
using heddle::sched::Strategy;

std::vector<int> kept;  // what a test should build anew
std::atomic<int> executions = 0;

const Options kIsolated{
    .executions = 500, .seconds = 60, .isolate = Isolate::process, .quiet = true};

void globals_are_as_at_first() {
  const Answer answer = check(
      [] {
        static const std::string made_once = "a text that does not fit into the object itself";
        if (!kept.empty() || executions++ != 0) fail("another execution was here");
        std::thread other([] { kept.push_back(static_cast<int>(made_once.size())); });
        other.join();
        kept.push_back(2);
      },
      kIsolated);
  expect(answer.passed, answer.failure.report);
  expect(kept.empty() && executions == 0, "nothing happened here");
}

void a_failure_is_shrunk_and_told() {
  static int counter = 0;
  const auto body = [] {
    std::puts("it runs");
    std::atomic<int> value = 0;
    std::thread other([&] { value = value + 1; });
    value = value + 1;
    other.join();
    ++counter;
    if (value != 2) fail("an increment is lost");
  };
  Options options = kIsolated;
  const Answer isolated = check(body, options);
  expect(isolated.failure.what == "an increment is lost", isolated.failure.report);
  expect(isolated.failure.report.find("  thread 0: it runs\n") != std::string::npos,
         isolated.failure.report);
  options.isolate = Isolate::no;
  const Answer here = check(body, options);
  expect(here.executions == isolated.executions, "as many executions as without processes");
  expect(here.failure.report.substr(0, 400) == isolated.failure.report.substr(0, 400),
         here.failure.report + isolated.failure.report);
}

void all_interleavings_are_the_same() {
  const auto body = [] {
    std::atomic<int> value = 0;
    const auto increase = [&] {
      for (int i = 0; i < 2; ++i) ++value;
    };
    std::thread one(increase);
    std::thread other(increase);
    one.join();
    other.join();
  };
  Options options = kIsolated;
  options.strategy = Strategy::depth_first;
  options.preemptions = 8;
  const Answer isolated = check(body, options);
  options.isolate = Isolate::no;
  const Answer here = check(body, options);
  expect(isolated.passed && isolated.coverage == "all interleavings", isolated.coverage);
  expect(here.executions == isolated.executions,
         std::to_string(here.executions) + " and " + std::to_string(isolated.executions));
}

void an_execution_may_end_in_any_way() {
  const auto ends_with = [](const char* what, void (*end)()) {
    const Answer answer = check([end] { end(); }, kIsolated);
    expect(!answer.passed && answer.failure.what.find(what) != std::string::npos,
           answer.failure.report);
  };
  ends_with("SIGKILL", [] { kill(getpid(), SIGKILL); });
  ends_with("SIGTERM", [] { kill(getpid(), SIGTERM); });
  ends_with("exit(3)", [] { _exit(3); });
}

}  // namespace

int main() {
  globals_are_as_at_first();
  a_failure_is_shrunk_and_told();
  all_interleavings_are_the_same();
  an_execution_may_end_in_any_way();
  return expectations_met();
}

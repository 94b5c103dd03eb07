// Globals in which executions find what earlier ones left are named.
#include <atomic>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::Isolate;
using heddle::sched::Options;

const Options kShort{.executions = 200, .seconds = 60, .quiet = true};

int plain_counter = 0;
std::atomic<int> atomic_counter = 0;
int set_first = 0;
int put_back = 0;
std::unique_ptr<int> keeps_memory;
std::map<int, std::string> registry;

void run_two(void (*work)()) {
  std::thread other(work);
  other.join();
}

std::string names(const Answer& answer) {
  std::string text;
  for (const std::string& name : answer.left_behind) text += name + ";";
  return text;
}

bool names_it(const Answer& answer, const std::string& name) {
  return names(answer).find(name) != std::string::npos;
}

void counters_are_named() {
  const Answer plain = check([] { run_two([] { ++plain_counter; }); }, kShort);
  expect(plain.passed && names_it(plain, "plain_counter"), names(plain) + plain.failure.report);
  const Answer atomic = check([] { run_two([] { ++atomic_counter; }); }, kShort);
  expect(names_it(atomic, "atomic_counter"), names(atomic) + atomic.failure.report);
}

void static_objects_of_functions_are_named() {
  const Answer answer = check(
      [] {
        run_two([] {
          static const std::uint64_t made_once =
              std::hash<std::thread::id>()(std::thread::id()) | 1;
          if (made_once == 0) heddle::sched::fail("it is made");
        });
      },
      kShort);
  expect(
      names_it(answer, "made_once") || answer.failure.report.find("made_once") != std::string::npos,
      names(answer) + answer.failure.report);
}

void what_depends_on_it_says_so() {
  const Answer answer = check(
      [] {
        std::atomic<int> value = 0;
        if (++plain_counter % 2 == 0) ++value;
      },
      kShort);
  expect(answer.failure.kind == "not deterministic", answer.failure.report);
  expect(answer.failure.report.find("in (anonymous namespace)::plain_counter: build it") !=
             std::string::npos,
         answer.failure.report);
}

void what_makes_no_difference_is_not_named() {
  const Answer answer = check(
      [] {
        set_first = 0;
        run_two([] { ++set_first; });
        const int before = put_back;
        ++put_back;
        put_back = before;
      },
      kShort);
  expect(answer.passed && answer.left_behind.empty(), names(answer) + answer.failure.report);
}

void memory_that_is_kept_is_a_failure() {
  const Answer answer = check([] { keeps_memory = std::make_unique<int>(3); }, kShort);
  expect(answer.failure.report.find("keeps_memory") != std::string::npos, answer.failure.report);
  // What it points to is no longer there.
  (void)keeps_memory.release();
}

// Nodes of a map are put in by the standard library, which is compiled without the flag.
void changes_by_libraries_are_noticed() {
  const Answer answer = check([] { registry[1] = "one"; }, kShort);
  expect(!answer.passed && answer.failure.report.find("registry") != std::string::npos,
         names(answer) + answer.failure.report);
  new (&registry) std::map<int, std::string>();
}

void processes_leave_nothing() {
  Options options = kShort;
  options.isolate = Isolate::process;
  const Answer answer = check([] { run_two([] { ++plain_counter; }); }, options);
  expect(answer.passed && answer.left_behind.empty(), names(answer));
}

}  // namespace

int main() {
  counters_are_named();
  static_objects_of_functions_are_named();
  what_depends_on_it_says_so();
  what_makes_no_difference_is_not_named();
  memory_that_is_kept_is_a_failure();
  changes_by_libraries_are_noticed();
  processes_leave_nothing();
  return expectations_met();
}

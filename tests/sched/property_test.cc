// The essay's parallel property: a counter whose increments can get lost.
#include <string>

#include "heddle/sched_property.h"
#include "tests/sched/counters.h"
#include "tests/sched/expect.h"

namespace {

using counters::LockedCounter;
using counters::RacyCounter;
using heddle::sched::Answer;
using heddle::sched::Options;
using heddle::sched::Property;

template <class Counter>
Answer check_counter(std::uint64_t seed) {
  Property<Counter, int> property;
  property.command(
      "increment", [](Counter& counter) { counter.increment(); }, [](int& model) { ++model; });
  property.command(
      "get", [](Counter& counter) { return counter.get(); }, [](int& model) { return model; });
  return heddle::sched::check(property, {}, {.executions = 20'000, .seconds = 60, .seed = seed});
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// What a report says of the program: all up to the diagram.
std::string program_of(const std::string& report) { return report.substr(0, report.find("┌")); }

void a_lost_increment_is_shrunk() {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Answer answer = check_counter<RacyCounter>(seed);
    const std::string program = program_of(answer.failure.report);
    expect(!answer.passed && answer.failure.kind == "not linearizable", answer.failure.kind);
    const bool small = count(program, "increment()") == 2 && count(program, "get()") == 1;
    const bool one = answer.failure.report.find("one departure") != std::string::npos;
    expect(small && one, "two increments, one get, one preemption:\n" + answer.failure.report);
  }
}

void what_is_locked_passes() {
  const Answer answer = check_counter<LockedCounter>(1);
  expect(answer.passed, answer.failure.report);
}

void without_a_model_the_object_says_what_is_right() {
  Property<RacyCounter> racy;
  racy.command("increment", [](RacyCounter& counter) { counter.increment(); });
  racy.command("get", [](RacyCounter& counter) { return counter.get(); });
  expect(!heddle::sched::check(racy).passed, "the lost increment is found without a model");
  Property<LockedCounter> locked;
  locked.command("increment", [](LockedCounter& counter) { counter.increment(); });
  locked.command("get", [](LockedCounter& counter) { return counter.get(); });
  const Answer answer = heddle::sched::check(locked, {}, {.executions = 5000});
  expect(answer.passed, answer.failure.report);
}

// With two commands there are 2, 7 and 28 programs of one, two and three calls in two branches: 2,
// 4 and 8 of one thread; 3 of two branches of a call, whichever comes first; 8 of branches of two
// and one; twice 6 with a call before or behind two branches of one.
void all_programs_are_tried() {
  const auto check_all = [](auto& property, std::uint32_t calls) {
    property.command(
        "increment", [](auto& counter) { counter.increment(); }, [](int& model) { ++model; });
    property.command(
        "get", [](auto& counter) { return counter.get(); }, [](int& model) { return model; });
    return heddle::sched::check(property, {.all = calls},
                                {.executions = 1'000'000, .seconds = 60, .preemptions = 2});
  };
  Property<LockedCounter, int> locked;
  const Answer right = check_all(locked, 3);
  expect(right.passed && right.coverage ==
                             "all 37 programs of at most 3 commands, all interleavings with at "
                             "most 2 preemptions",
         right.coverage + right.failure.report);
  Property<RacyCounter, int> unseen;
  const Answer too_small = check_all(unseen, 2);
  expect(too_small.passed && too_small.coverage.starts_with("all 9 programs of at most 2"),
         too_small.coverage + too_small.failure.report);
  Property<RacyCounter, int> racy;
  const Answer wrong = check_all(racy, 4);
  const std::string program = program_of(wrong.failure.report);
  expect(!wrong.passed && count(program, "increment()") == 2 && count(program, "get()") == 1,
         "the smallest program: " + wrong.failure.report);
}

void what_ran_at_once_is_told() {
  Property<LockedCounter, int> property;
  property.command(
      "increment", [](LockedCounter& counter) { counter.increment(); },
      [](int& model) { ++model; });
  const Answer answer = heddle::sched::check(
      property, {.prefix = 0, .branches = 2, .branch = 1, .suffix = 0}, {.executions = 500});
  expect(answer.statistics.starts_with("calls: increment 100 %\nat once: in "), answer.statistics);
  expect(
      answer.statistics.find(" of the executions; increment and increment ") != std::string::npos,
      answer.statistics);
  const Answer alone = heddle::sched::check(
      property, {.prefix = 2, .branches = 0, .branch = 0, .suffix = 0}, {.executions = 50});
  expect(alone.statistics == "calls: increment 100 %\nat once: in 0 % of the executions\n",
         alone.statistics);
}

}  // namespace

int main() {
  all_programs_are_tried();
  what_ran_at_once_is_told();
  a_lost_increment_is_shrunk();
  what_is_locked_passes();
  without_a_model_the_object_says_what_is_right();
  return expectations_met();
}

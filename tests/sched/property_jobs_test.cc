// What is found of a property does not depend on how many processes look for it.
#include <string>
#include <vector>

#include "heddle/sched_property.h"
#include "tests/sched/counters.h"
#include "tests/sched/expect.h"

namespace {

using counters::LockedCounter;
using counters::RacyCounter;
using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::Options;
using heddle::sched::ProgramSize;
using heddle::sched::Property;
using heddle::sched::Source;

template <class Counter>
Answer check_counter(const ProgramSize& size, const Options& options) {
  Property<Counter, int> property;
  property.command(
      "increment", [](Counter& counter) { counter.increment(); }, [](int& model) { ++model; });
  property.command(
      "set", [](Source& source) { return static_cast<int>(source.between(4, 5)); },
      [](Counter& counter, int value) { counter.set(value); },
      [](int& model, int value) {
        if (model == 3) model = value;
      });
  property.command(
      "get", [](Counter& counter) { return counter.get(); }, [](int& model) { return model; });
  return check(property, size, options);
}

// All but the token and how many executions it took.
std::string told(const Answer& answer) {
  return answer.failure.report.substr(0, answer.failure.report.find("found in execution"));
}

void the_first_failure_wins() {
  const std::vector<ProgramSize> sizes = {
      {}, {.prefix = 4, .branches = 3, .branch = 2, .suffix = 2}, {.all = 3}};
  for (const ProgramSize& size : sizes) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Options options{.executions = 200'000, .seconds = 120, .seed = seed, .quiet = true};
      const Answer expected = check_counter<RacyCounter>(size, options);
      expect(!expected.passed, "it is found: " + expected.coverage);
      for (const std::uint32_t jobs : {2, 3}) {
        options.jobs = jobs;
        const Answer answer = check_counter<RacyCounter>(size, options);
        const std::string with = std::to_string(jobs) + " jobs: ";
        expect(told(answer) == told(expected), with + answer.failure.report);
        expect(answer.executions == expected.executions, with + std::to_string(answer.executions) +
                                                             " and " +
                                                             std::to_string(expected.executions));
      }
    }
  }
}

void as_many_are_made() {
  std::vector<Answer> answers;
  for (const std::uint32_t jobs : {1, 2, 5}) {
    answers.push_back(
        check_counter<LockedCounter>({}, {.executions = 20'001, .seconds = 120, .jobs = jobs}));
    const Answer& answer = answers.back();
    expect(answer.passed && answer.executions == 20'001, std::to_string(answer.executions));
    expect(answer.coverage == answers.front().coverage, answer.coverage);
    expect(answer.statistics == answers.front().statistics, answer.statistics);
  }
  answers.clear();
  for (const std::uint32_t jobs : {1, 3}) {
    answers.push_back(check_counter<LockedCounter>(
        {.all = 2}, {.executions = 10'000'000, .seconds = 300, .jobs = jobs}));
    const Answer& answer = answers.back();
    expect(answer.passed && answer.executions == answers.front().executions,
           std::to_string(answer.executions));
    expect(answer.coverage == answers.front().coverage, answer.coverage);
  }
}

}  // namespace

int main() {
  the_first_failure_wins();
  as_many_are_made();
  return expectations_met();
}

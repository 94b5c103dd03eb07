#include "sched/property/program_trial.h"

#include <utility>

namespace heddle::sched::runtime {

namespace {

constexpr std::uint64_t kEach = 16;  // executions by each strategy

}  // namespace

ProgramTest::ProgramTest(PropertyTest& property, Program program, const Options& options,
                         std::uint64_t number)
    : run(property, std::move(program)), test(ProgramRun::execute, &run, options) {
  test.set_judge(&run);
  test.set_number(number);
  test.set_name(options.name);
}

Program Trials::program(std::uint64_t number) const {
  RandomNumbers random = RandomNumbers::of_execution(options.seed, number);
  ProgramSize most = size;
  if (number < kAlone) {
    most.prefix = size.prefix + size.branches * size.branch + size.suffix;
    most.branches = 0;
    most.suffix = 0;
  }
  return generate_program(property, most, random);
}

std::vector<Trials::MakeStrategy> Trials::strategies(std::uint64_t number) const {
  if (number < kAlone) return {sequential};
  RandomNumbers random = RandomNumbers::of_execution(~options.seed, number);
  const std::uint64_t seed = random.next();
  const std::vector<MakeStrategy> used = {
      sequential,
      [] { return depth_first(1); },
      [seed] { return pct(seed, 2); },
      [seed] { return pct(seed + 1, 3); },
      [seed] { return pos(seed + 2); },
      [seed] { return random_walk(seed + 3); },
  };
  static_assert(6 * kEach <= kMostExecutions);
  return used;
}

std::vector<Trials::MakeStrategy> Trials::all_ways() const {
  const std::uint32_t preemptions = options.preemptions;
  return {[preemptions] { return depth_first(preemptions); }};
}

bool Trials::fails(const Program& program, const std::vector<MakeStrategy>& strategies,
                   std::uint64_t most_each, const std::function<bool()>& begin,
                   CallStatistics& statistics, Execution& failed) const {
  ProgramTest program_test(property, program, options, test_number);
  for (const MakeStrategy& make : strategies) {
    const auto strategy = make();
    for (std::uint64_t i = 0; i < most_each; ++i) {
      if (!strategy->begin_execution() || !begin()) break;
      const Execution& execution = program_test.test.execute(*strategy);
      statistics.add(program_test.run.calls(), program_test.run.made());
      if (!execution.failed()) continue;
      failed = execution;
      return true;
    }
  }
  return false;
}

bool Trials::fails(std::uint64_t number, const std::function<bool()>& begin,
                   CallStatistics& statistics, Execution& failed) const {
  return fails(program(number), strategies(number), kEach, begin, statistics, failed);
}

}  // namespace heddle::sched::runtime

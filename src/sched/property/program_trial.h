// A program under test, and how it is tried: a few interleavings by each of some strategies. What
// comes of it depends on nothing but the options and the program's number.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sched/property/program_run.h"
#include "sched/property/statistics.h"
#include "sched/strategy/strategy.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

struct ProgramTest {
  ProgramTest(PropertyTest& property, Program program, const Options& options,
              std::uint64_t number);

  ProgramRun run;
  Test test;
};

// A property, and what was asked for.
struct Trials {
  PropertyTest& property;
  ProgramSize size;
  Options options;
  std::uint64_t test_number = 0;

  // At first so many programs with one thread.
  static constexpr std::uint64_t kAlone = 64;
  // No random program takes more executions.
  static constexpr std::uint64_t kMostExecutions = 96;

  using MakeStrategy = std::function<std::unique_ptr<runtime::Strategy>()>;

  // Random program number `number`, and the strategies that try it.
  Program program(std::uint64_t number) const;
  std::vector<MakeStrategy> strategies(std::uint64_t number) const;
  // The strategy that tries a program in all ways.
  std::vector<MakeStrategy> all_ways() const;

  // Tries a program until an execution fails, which is `failed` then. `begin` is asked before each
  // execution whether it may be made.
  bool fails(const Program& program, const std::vector<MakeStrategy>& strategies,
             std::uint64_t most_each, const std::function<bool()>& begin,
             CallStatistics& statistics, Execution& failed) const;
  // The same for a random one.
  bool fails(std::uint64_t number, const std::function<bool()>& begin, CallStatistics& statistics,
             Execution& failed) const;
};

}  // namespace heddle::sched::runtime

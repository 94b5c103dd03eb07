// What the solver says about small random programs at each of its levels, the replicated store
// does: it refuses nothing of it, and most of it goes wrong as foreseen.
#include <cstdint>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/find.h"
#include "heddle/program.h"

namespace heddle {
namespace {

using find::RandomPrograms;

constexpr IsolationLevel kReplicatedLevels[] = {
    IsolationLevel::eventual,       IsolationLevel::causal_visibility,
    IsolationLevel::causal,         IsolationLevel::repeatable_read_axiom,
    IsolationLevel::read_committed, IsolationLevel::snapshot,
    IsolationLevel::linearizable,   IsolationLevel::cassandra_one,
};

struct Counts {
  std::size_t runs = 0;
  std::size_t confirmed = 0;
};

void execute_replicated(const std::string& text, IsolationLevel level, Counts& counts) {
  const Result<Program> program = parse_program({{"random.sql", text}});
  ASSERT_TRUE(program) << to_string(program.error()) << text;
  FindOptions options;
  options.level = level;
  options.max_length = 4;
  options.max_instances = 2;
  Result<FindReport> report = find_anomalies(*program, options);
  ASSERT_TRUE(report);
  ExecuteOptions execution;
  execution.on.texts = {"replicated"};
  execution.jobs = 1;
  const Result<void> executed = execute_findings(*program, options, execution, *report);
  ASSERT_TRUE(executed) << to_string(executed.error());
  for (const FoundCause& cause : report->causes) {
    ASSERT_TRUE(cause.execution);
    const FoundExecution& run = *cause.execution;
    EXPECT_EQ(run.reason.find("the store ends"), std::string::npos)
        << definition(level).name << ": " << run.reason << "\n"
        << text;
    const bool has_error = run.reason.find("found.spec") != std::string::npos;
    EXPECT_FALSE(has_error) << run.reason << "\n" << text;
    counts.runs += run.was_run ? 1 : 0;
    counts.confirmed += run.finding ? 1 : 0;
  }
}

TEST(ExecuteReplicatedRandom, the_store_does_what_the_solver_says) {
  const auto rounds = static_cast<std::uint64_t>(test_rounds(3));
  Counts counts;
  for (const IsolationLevel level : kReplicatedLevels) {
    for (std::uint64_t seed = 0; seed < rounds; ++seed) {
      RandomPrograms random(seed, RandomPrograms::Contention::much);
      execute_replicated(random.next(2), level, counts);
      if (HasFatalFailure()) return;
    }
  }
  std::cout << counts.confirmed << " of " << counts.runs << " confirmed\n";
  EXPECT_GT(counts.runs, 0U);
  EXPECT_GE(counts.confirmed * 10, counts.runs * 8);
}

}  // namespace
}  // namespace heddle

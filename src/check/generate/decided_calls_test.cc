// Calls that nobody knows the end of, many processes, and a planted violation leave queues, stacks
// and priority queues decided without a search that takes long.
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/generate/calls.h"
#include "heddle/linearizability.h"

namespace heddle {
namespace {

std::string undecided(ObjectModel model, double crashed, bool violation) {
  GenerateCallsOptions made;
  made.model = model;
  made.calls = 600;
  made.processes = 30;
  made.crashed_share = crashed;
  made.violation = violation;
  LinearizabilityOptions options;
  options.steps = 20'000;
  std::string seeds;
  for (made.seed = 1; made.seed <= test_rounds(20); ++made.seed) {
    const LinearizabilityAnswer answer = check_linearizable(generate_calls(made), options);
    const Verdict expected = violation ? Verdict::violated : Verdict::satisfied;
    if (answer.verdict != expected) seeds += fmt::format(" {}", made.seed);
  }
  return seeds;
}

TEST(DecidedCalls, need_no_long_search) {
  for (const ObjectModel model :
       {ObjectModel::queue, ObjectModel::stack, ObjectModel::priority_queue}) {
    for (const double crashed : {0.0, 0.01, 0.1}) {
      EXPECT_EQ(undecided(model, crashed, false), "") << to_string(model) << ' ' << crashed;
    }
    EXPECT_EQ(undecided(model, 0.0, true), "") << to_string(model);
  }
}

}  // namespace
}  // namespace heddle

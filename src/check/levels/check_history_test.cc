// All levels in one run: against brute force, with witnesses and counterexamples tried out.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/levels/counterexample.h"
#include "check/levels/order_brute_force.h"
#include "check/levels/sample_recorded.h"
#include "check/observation/explains.h"
#include "heddle/check.h"

namespace heddle {
namespace {

// Whether the cases are all ways to order the writers that they speak of.
bool are_all_ways(const std::vector<CounterexampleCase>& cases, std::size_t depth) {
  if (cases.size() == 1) return cases[0].supposed.size() == depth;
  std::vector<CounterexampleCase> same;
  std::vector<CounterexampleCase> turned;
  for (const CounterexampleCase& each : cases) {
    if (each.supposed.size() <= depth) return false;
    const RecordedEdge& first = cases[0].supposed[depth];
    const RecordedEdge& edge = each.supposed[depth];
    if (edge.key != first.key) return false;
    if (edge.from == first.from && edge.to == first.to) {
      same.push_back(each);
    } else if (edge.from == first.to && edge.to == first.from) {
      turned.push_back(each);
    } else {
      return false;
    }
  }
  return !turned.empty() && are_all_ways(same, depth + 1) && are_all_ways(turned, depth + 1);
}

void expect_cases(const Counterexample& example) {
  if (example.cases.empty()) return;
  EXPECT_TRUE(example.cycle.empty());
  EXPECT_TRUE(example.cases.size() > 1 && are_all_ways(example.cases, 0));
  for (const CounterexampleCase& each : example.cases) {
    for (std::size_t i = 0; i < each.cycle.size(); ++i) {
      EXPECT_EQ(each.cycle[(i + 1) % each.cycle.size()].from, each.cycle[i].to);
    }
  }
}

void expect_failing_part(const TransactionHistory& history, const LevelAnswer& answer) {
  for (const Counterexample& example : answer.counterexamples) {
    EXPECT_FALSE(example.transactions.empty());
    if (example.operation) continue;
    expect_cases(example);
    const SubHistory part = part_of(history, example.transactions);
    EXPECT_EQ(brute_force_history(part.history, answer.level, {}), Verdict::violated)
        << definition(answer.level).name << "\n"
        << text_of(part.history);
  }
}

// Whoever asks for one level alone gets the same answer, and one that holds.
void expect_alone(const TransactionHistory& history, const LevelAnswer& among_all) {
  CheckOptions options;
  options.levels = {among_all.level};
  const Result<CheckReport> report = check_history(history, options);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->answers.size(), 1U);
  const LevelAnswer& alone = report->answers.front();
  EXPECT_EQ(alone.verdict, among_all.verdict) << definition(alone.level).name << "\n"
                                              << text_of(history);
  if (alone.verdict == Verdict::satisfied) {
    EXPECT_TRUE(verify_order(history, alone, {}));
  }
  expect_failing_part(history, alone);
}

struct Tally {
  std::size_t satisfied = 0;
  std::size_t violated = 0;
};

void compare(const TransactionHistory& history, Tally& tally) {
  const Observation observation(history);
  if (observation.node_count() > 8 || !observation.doubt().empty()) return;
  const Result<CheckReport> report = check_history(history, {});
  ASSERT_TRUE(report);
  for (const LevelAnswer& answer : report->answers) {
    const std::string context =
        fmt::format("{}\n{}", definition(answer.level).name, text_of(history));
    EXPECT_EQ(answer.verdict, brute_force_history(history, answer.level, {})) << context;
    EXPECT_EQ(answer.bound, "") << context;
    if (answer.verdict == Verdict::satisfied) {
      ++tally.satisfied;
      EXPECT_TRUE(verify_order(history, answer, {})) << context;
    } else {
      ++tally.violated;
      EXPECT_FALSE(answer.counterexamples.empty()) << context;
      expect_failing_part(history, answer);
    }
    expect_alone(history, answer);
  }
}

TEST(CheckHistory, agrees_with_brute_force_on_samples) {
  const std::size_t rounds = test_rounds(400);
  Tally tally;
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    compare(sample_of_seed(seed), tally);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(tally.satisfied, rounds);
  EXPECT_GT(tally.violated, rounds);
}

}  // namespace
}  // namespace heddle

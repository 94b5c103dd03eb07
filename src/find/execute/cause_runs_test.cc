// Which runs of a cause are kept.
#include "find/execute/cause_runs.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::find {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

FoundExecution confirmed(const std::string& id, std::vector<std::string> broken,
                         Effect effect = Effect::internal) {
  FoundExecution execution;
  execution.status = FindingStatus::confirmed;
  execution.finding.emplace();
  execution.finding->id = id;
  execution.finding->effect = effect;
  execution.broken_invariants = std::move(broken);
  return execution;
}

FoundExecution take(std::vector<FoundExecution> executions) {
  CauseRuns runs;
  const FoundCycle cycle;
  const Realization run;
  for (FoundExecution& execution : executions) runs.add(std::move(execution), cycle, &run);
  return runs.take();
}

TEST(CauseRuns, of_equal_runs_the_first_is_kept) {
  const FoundExecution kept = take({confirmed("a", {}), confirmed("b", {})});
  EXPECT_EQ(kept.finding->id, "a");
  EXPECT_THAT(kept.further, IsEmpty());
}

TEST(CauseRuns, the_one_that_breaks_most_is_shown_and_others_for_what_it_keeps) {
  const FoundExecution kept =
      take({confirmed("a", {"x"}), confirmed("b", {"y", "z"}), confirmed("c", {"z"}),
            confirmed("d", {"w", "z"}), confirmed("e", {"v", "w", "x"})});
  EXPECT_EQ(kept.finding->id, "e");
  ASSERT_EQ(kept.further.size(), 1U);
  EXPECT_EQ(kept.further[0].finding.id, "b");
  EXPECT_THAT(kept.further[0].invariants, ElementsAre("y", "z"));
  EXPECT_THAT(kept.broken_invariants, ElementsAre("v", "w", "x", "y", "z"));
}

// What is read wrongly counts less than rows that are wrong.
TEST(CauseRuns, a_run_that_does_damage_is_shown_before_one_that_breaks_more) {
  const FoundExecution kept =
      take({confirmed("a", {"x", "y"}, Effect::external), confirmed("b", {"x"})});
  EXPECT_EQ(kept.finding->id, "b");
  EXPECT_THAT(kept.broken_invariants, ElementsAre("x", "y"));
}

FoundCause cause_of(const std::vector<std::size_t>& members) {
  FoundCause cause;
  FoundCycle& cycle = cause.cores.emplace_back();
  for (std::size_t i = 0; i < members.size(); ++i) {
    cycle.nodes.push_back({.instance = i, .functionality = members[i]});
  }
  return cause;
}

TEST(ExecutionOrder, begins_with_one_cause_of_each_set_of_functionalities) {
  const ExecutionOrder order =
      execution_order({cause_of({1, 2}), cause_of({2, 1}), cause_of({1, 1}), cause_of({1, 2}),
                       cause_of({1, 1}), cause_of({3})});
  EXPECT_THAT(order.causes, ElementsAre(0, 2, 5, 1, 4, 3));
  EXPECT_EQ(order.first_of_each, 3U);
}

TEST(CauseRuns, know_what_would_be_a_gain) {
  CauseRuns runs;
  const FoundCycle cycle;
  runs.add(confirmed("a", {"x", "y"}), cycle, nullptr);
  runs.add(confirmed("b", {"z"}), cycle, nullptr);
  EXPECT_FALSE(runs.is_gain({}));
  EXPECT_FALSE(runs.is_gain({"z", "y"}));
  EXPECT_TRUE(runs.is_gain({"z", "w"}));
}

// A run that shows nothing says more than rows that are not known; all runs count.
TEST(CauseRuns, runs_are_counted_and_what_was_run_is_kept) {
  FoundExecution nothing;
  nothing.status = FindingStatus::not_shown;
  nothing.was_run = true;
  nothing.runs = 1;
  nothing.reason = "first";
  FoundExecution again = nothing;
  again.reason = "second";
  FoundExecution unknown;
  unknown.status = FindingStatus::not_executable;
  const FoundExecution kept = take({unknown, nothing, again, unknown});
  EXPECT_EQ(kept.status, FindingStatus::not_shown);
  EXPECT_EQ(kept.reason, "first");
  EXPECT_EQ(kept.runs, 2U);
  EXPECT_EQ(take({unknown, unknown}).status, FindingStatus::not_executable);
}

// Whoever was stopped may have shown something with more time.
TEST(CauseRuns, what_a_limit_ended_is_remembered) {
  FoundExecution stopped;
  stopped.is_cut_short = true;
  FoundExecution nothing;
  nothing.status = FindingStatus::not_shown;
  nothing.was_run = true;
  EXPECT_TRUE(take({nothing, stopped}).is_cut_short);
  EXPECT_FALSE(take({stopped, confirmed("a", {})}).is_cut_short);
  EXPECT_FALSE(take({nothing}).is_cut_short);
}

TEST(CauseRuns, what_did_damage_is_remembered) {
  CauseRuns runs;
  const FoundCycle cycle;
  Realization run;
  run.members = {1, 2};
  FoundExecution nothing;
  nothing.status = FindingStatus::not_shown;
  runs.add(std::move(nothing), cycle, &run);
  runs.add(confirmed("a", {}, Effect::external), cycle, &run);
  EXPECT_FALSE(runs.is_internal());
  runs.add(confirmed("b", {}), cycle, &run);
  EXPECT_TRUE(runs.is_internal());
  runs.add_unjudged(cycle, run);
  const std::vector<DamagingRun> damaging = runs.take_damaging();
  ASSERT_EQ(damaging.size(), 2U);
  EXPECT_EQ(damaging[0].cycle, &cycle);
  EXPECT_THAT(damaging[0].run.members, ElementsAre(1, 2));
}

}  // namespace
}  // namespace heddle::find

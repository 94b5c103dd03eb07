#include "heddle/schedule.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

// One session per list of step names.
Scenario scenario_of(const std::vector<std::vector<std::string>>& sessions) {
  Scenario scenario;
  for (const std::vector<std::string>& names : sessions) {
    const SessionId id(scenario.sessions.size());
    Session session;
    session.name = "s" + std::to_string(id.value + 1);
    for (const std::string& name : names) {
      session.steps.push_back(StepId(scenario.steps.size()));
      Step step;
      step.name = name;
      step.session = id;
      scenario.steps.push_back(step);
    }
    scenario.sessions.push_back(session);
  }
  return scenario;
}

Schedule schedule_of_steps(const std::vector<std::size_t>& steps) {
  Schedule schedule;
  for (const std::size_t step : steps) schedule.steps.push_back({StepId(step), {}});
  return schedule;
}

TEST(CountSwitches, CountsMovesBetweenSessions) {
  const Scenario scenario = scenario_of({{"a1", "a2"}, {"b1", "b2"}});
  EXPECT_EQ(count_switches(scenario, schedule_of_steps({})), 0u);
  EXPECT_EQ(count_switches(scenario, schedule_of_steps({0, 1, 2, 3})), 1u);
  EXPECT_EQ(count_switches(scenario, schedule_of_steps({0, 2, 1, 3})), 3u);
}

TEST(CountPreemptions, CountsMovesThatLeaveSomethingUndone) {
  const Scenario scenario = scenario_of({{"a1", "a2"}, {"b1", "b2"}});
  EXPECT_EQ(count_preemptions(scenario, schedule_of_steps({})), 0u);
  EXPECT_EQ(count_preemptions(scenario, schedule_of_steps({0, 1, 2, 3})), 0u);
  EXPECT_EQ(count_preemptions(scenario, schedule_of_steps({0, 2, 3, 1})), 1u);
  EXPECT_EQ(count_preemptions(scenario, schedule_of_steps({0, 2, 1, 3})), 2u);
}

TEST(CountPreemptions, StepsThatTheScheduleLeavesOutAreNotToCome) {
  const Scenario scenario = scenario_of({{"a1", "a2"}, {"b1", "b2"}});
  EXPECT_EQ(count_preemptions(scenario, schedule_of_steps({0, 2, 3})), 0u);
}

TEST(ScheduleText, QuotesWhatTheFormatNeedsQuoted) {
  const Scenario scenario = scenario_of({{"r1", "step", "two words", "1st", "say \"x\"", "Step",
                                          "a$1", "", "notices", "\xc3\xa9t\xc3\xa9", "store"}});
  EXPECT_EQ(to_string(scenario, schedule_of_steps({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10})),
            "r1 \"step\" \"two words\" \"1st\" \"say \"\"x\"\"\" Step a$1 \"\" \"notices\" "
            "\xc3\xa9t\xc3\xa9 store");
}

TEST(ScheduleText, WritesBlockerMarkers) {
  const Scenario scenario = scenario_of({{"a1", "a 2"}, {"b1"}});
  Schedule schedule = schedule_of_steps({0, 2, 1});
  schedule.steps[0].blockers = {{Blocker::Kind::once, {}, 0}};
  schedule.steps[1].blockers = {{Blocker::Kind::other_step, StepId(0), 0},
                                {Blocker::Kind::notices, StepId(1), 2}};
  EXPECT_EQ(to_string(scenario, schedule), "a1(*) b1(a1, \"a 2\" notices 2) \"a 2\"");
}

TEST(ScheduleOf, TakesAPermutationAsItIs) {
  Permutation permutation;
  permutation.steps = {{StepId(1), {}}, {StepId(0), {{Blocker::Kind::once, {}, 0}}}};
  EXPECT_EQ(schedule_of(permutation).steps, permutation.steps);
}

}  // namespace
}  // namespace heddle

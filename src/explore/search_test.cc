// The search against brute force: following every permutation of the steps, putting off the steps
// of blocked sessions, must reach the same schedules, and the search each of them once.
#include "explore/search.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/isolationtester_runner.h"
#include "replay/random_scenario_testing.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;

SearchResult search(const Scenario& scenario, std::size_t jobs, const SearchOptions& options = {},
                    const std::vector<Schedule>& plans = {},
                    std::uint32_t step_timeout_ms = 30'000) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (std::size_t i = 0; i < jobs; ++i) {
    runners.push_back(runner_for(scenario, std::nullopt, step_timeout_ms));
  }
  std::vector<SessionScripts> scripts;
  for (const Schedule& plan : plans) scripts.push_back(scripts_from(scenario, plan));
  if (plans.empty()) scripts.push_back(scripts_of(scenario));
  return must(search_interleavings(scenario, runners, scripts, plans, options));
}

// Each schedule with the text of what it gave (of the smallest one of its class), as often as it is
// in the result.
std::multimap<std::string, std::string> schedules_of(const Scenario& scenario,
                                                     const SearchResult& result) {
  std::multimap<std::string, std::string> schedules;
  for (const OutcomeClass& outcome : result.classes) {
    for (const Schedule& schedule : outcome.schedules) {
      schedules.emplace(to_string(scenario, schedule), text_of(scenario, outcome.smallest));
    }
  }
  return schedules;
}

std::set<std::string> brute_force(const Scenario& scenario) {
  const auto runner = runner_for(scenario);
  std::set<std::string> schedules;
  for_each_permutation(scenario, [&](const Schedule& schedule) {
    const auto run =
        must(runner->run_interleaved(scripts_of(scenario), follow(scenario, schedule)));
    EXPECT_EQ(run.end, RunEnd::complete) << to_spec(scenario);
    schedules.insert(to_string(scenario, run.planned));
    return true;
  });
  return schedules;
}

// What is in one of the two and not in the other, or more than once; empty: they agree.
std::vector<std::string> disagreements(const std::set<std::string>& expected,
                                       const std::multimap<std::string, std::string>& found) {
  std::vector<std::string> texts;
  for (const std::string& schedule : expected) {
    if (!found.contains(schedule)) texts.push_back("never run: " + schedule);
  }
  for (const auto& [schedule, text] : found) {
    if (!expected.contains(schedule)) texts.push_back("impossible: " + schedule);
    if (found.count(schedule) > 1) texts.push_back("run twice: " + schedule);
  }
  return texts;
}

TEST(Search, runs_each_schedule_that_the_store_allows_once) {
  std::size_t blocked = 0;
  for (std::uint64_t seed = 200; seed < 230; ++seed) {
    const Scenario scenario = scenario_of(RandomScenario(seed).text());
    const std::set<std::string> expected = brute_force(scenario);
    const SearchResult result = search(scenario, 1 + seed % 3);
    EXPECT_THAT(disagreements(expected, schedules_of(scenario, result)), ElementsAre())
        << to_spec(scenario);
    EXPECT_EQ(result.interleavings, expected.size());
    EXPECT_EQ(result.bound, "");
    blocked += expected.size() < count_permutations(scenario) ? 1 : 0;
  }
  EXPECT_GT(blocked, 3U) << "some of the scenarios must block";
}

TEST(Search, the_comparison_notices_what_is_wrong) {
  std::multimap<std::string, std::string> found{{"a b", ""}, {"b a", ""}};
  EXPECT_THAT(disagreements({"a b", "b a"}, found), ElementsAre());
  EXPECT_THAT(disagreements({"a b", "b a", "a c"}, found), ElementsAre("never run: a c"));
  EXPECT_THAT(disagreements({"a b"}, found), ElementsAre("impossible: b a"));
  found.emplace("a b", "");
  EXPECT_THAT(disagreements({"a b", "b a"}, found),
              ElementsAre("run twice: a b", "run twice: a b"));
}

TEST(Search, the_number_of_jobs_changes_nothing) {
  for (std::uint64_t seed = 300; seed < 306; ++seed) {
    const Scenario scenario = scenario_of(RandomScenario(seed).text());
    const SearchResult one = search(scenario, 1);
    const SearchResult three = search(scenario, 3);
    ASSERT_EQ(one.classes.size(), three.classes.size());
    for (std::size_t i = 0; i < one.classes.size(); ++i) {
      EXPECT_EQ(one.classes[i].schedules, three.classes[i].schedules);
      EXPECT_EQ(text_of(scenario, one.classes[i].smallest),
                text_of(scenario, three.classes[i].smallest));
    }
    EXPECT_EQ(one.aborted_runs, three.aborted_runs);
  }
}

constexpr const char* kCounting = R"(
session s1
step a1 { SELECT 1; }
step a2 { SELECT 1; }
step a3 { SELECT 1; }
session s2
step b1 { SELECT 2; }
step b2 { SELECT 2; }
step b3 { SELECT 2; }
)";

TEST(Search, a_bound_on_preemptions_keeps_the_simple_schedules) {
  const Scenario scenario = scenario_of(kCounting);
  std::map<std::size_t, std::size_t> by_preemptions;
  for_each_permutation(scenario, [&](const Schedule& schedule) {
    ++by_preemptions[count_preemptions(scenario, schedule)];
    return true;
  });
  std::size_t expected = 0;
  for (std::uint32_t most = 0; most < 5; ++most) {
    expected += by_preemptions[most];
    SearchOptions options;
    options.preemptions = most;
    const SearchResult result = search(scenario, 2, options);
    EXPECT_EQ(result.interleavings, expected) << most;
    EXPECT_EQ(result.bound.empty(), expected == count_permutations(scenario)) << result.bound;
  }
  EXPECT_EQ(expected, 20U);
}

TEST(Search, leaving_a_blocked_session_is_no_preemption) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step w2 { UPDATE account SET balance = 2 WHERE id = 1; }
)");
  SearchOptions options;
  options.preemptions = 1;
  const SearchResult result = search(scenario, 1, options);
  EXPECT_EQ(result.interleavings, 3U);
  EXPECT_EQ(result.bound, "") << "nothing was left out";
}

TEST(Search, classes_are_outcomes_the_simplest_schedule_first) {
  const Scenario scenario = accounts_with(R"(
session s1
step r1 { SELECT balance FROM account WHERE id = 1 \gset }
step w1 { UPDATE account SET balance = :balance + 10 WHERE id = 1; }
session s2
step w2 { UPDATE account SET balance = 7 WHERE id = 1; }
)");
  const SearchResult result = search(scenario, 1);
  std::vector<std::string> texts;
  for (const OutcomeClass& outcome : result.classes) {
    EXPECT_EQ(outcome.smallest.planned, outcome.schedules.front());
    std::vector<std::string> schedules;
    for (const Schedule& schedule : outcome.schedules) {
      schedules.push_back(to_string(scenario, schedule));
    }
    texts.push_back(join(schedules, ", "));
  }
  EXPECT_THAT(texts, ElementsAre("r1 w1 w2", "w2 r1 w1", "r1 w2 w1"));
}

TEST(Search, stated_schedules_are_run_as_they_are) {
  const Scenario scenario = accounts_with(R"(
session s1
step b1 { BEGIN; UPDATE account SET balance = 1 WHERE id = 1; }
step c1 { COMMIT; }
session s2
step w2 { UPDATE account SET balance = 2 WHERE id = 1; }
step x2 { UPDATE account SET balance = 3 WHERE id = 1; }
)");
  const std::vector<Schedule> plans = {schedule_from(scenario, "b1 w2 x2 c1"),
                                       schedule_from(scenario, "x2 b1"),
                                       schedule_from(scenario, "w2 w2")};
  const auto found = schedules_of(scenario, search(scenario, 2, {}, plans));
  std::vector<std::string> schedules;
  for (const auto& [schedule, text] : found) schedules.push_back(schedule);
  EXPECT_THAT(schedules, ElementsAre("b1 w2 c1 x2", "w2 w2", "x2 b1"));
}

TEST(Search, a_step_that_does_not_return_is_a_bound) {
  const Scenario scenario = scenario_of(
      "session s1\nstep a { SELECT 1; }\nsession s2\nstep b { SELECT pg_sleep(60); }\n");
  const SearchResult result = search(scenario, 2, {}, {}, 200);
  EXPECT_EQ(result.bound, "step b did not return within 200 ms");
  EXPECT_EQ(result.interleavings, 0U);
}

TEST(Search, a_deadline_that_has_passed_is_a_bound) {
  SearchOptions options;
  options.deadline = std::chrono::steady_clock::now();
  const SearchResult result = search(scenario_of(kCounting), 2, options);
  EXPECT_EQ(result.bound, "the time limit was hit");
  EXPECT_EQ(result.interleavings, 0U);
}

TEST(Search, progress_counts_up_to_all) {
  SearchOptions options;
  std::vector<std::pair<std::size_t, std::size_t>> calls;
  options.progress = [&](std::size_t done, std::size_t known) { calls.emplace_back(done, known); };
  (void)search(scenario_of(kCounting), 1, options);
  ASSERT_EQ(calls.size(), 20U);
  EXPECT_EQ(calls.back(), std::pair(std::size_t{20}, std::size_t{20}));
  EXPECT_TRUE(std::is_sorted(calls.begin(), calls.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; }));
}

TEST(Search, fewest_switches_are_simplest_then_the_order_of_steps) {
  const Scenario scenario = scenario_of(kCounting);
  const auto simpler = [&](const std::string& a, const std::string& b) {
    return is_simpler(scenario, schedule_from(scenario, a), schedule_from(scenario, b));
  };
  EXPECT_TRUE(simpler("b1 b2 a1", "a1 b1 a2"));
  EXPECT_TRUE(simpler("a1 a2 b1", "b1 a1 a2"));
  EXPECT_FALSE(simpler("a1 a2 b1", "a1 a2 b1"));
}

}  // namespace
}  // namespace heddle

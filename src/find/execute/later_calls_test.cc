// Damage that shows only when somebody goes on.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/scenario.h"

namespace heddle {
namespace {

// Two calls at the same time draw the same number; the next one skips a number.
constexpr const char* kTickets = R"(
CREATE TABLE counter (id int PRIMARY KEY, next int NOT NULL);
CREATE TABLE ticket (number int PRIMARY KEY, holder int NOT NULL);
CREATE PROCEDURE draw(which int, holder_of_it int) LANGUAGE plpgsql AS $$
DECLARE mine int;
BEGIN
  SELECT next INTO mine FROM counter WHERE id = which;
  UPDATE counter SET next = next + 1 WHERE id = which;
  INSERT INTO ticket VALUES (mine, holder_of_it);
END $$;
)";

constexpr const char* kGaps = R"(
invariant "no gaps" { SELECT max(number) - min(number) + 1 = count(*) FROM ticket }
invariant "no holder below zero" { SELECT holder >= 0 FROM ticket WHERE holder > 0 }
)";

struct Executed {
  FindReport report;
  std::vector<std::string> told;  // of each cause that was told of, what it breaks
};

Executed execute_later_calls(const std::string& store, const std::string& level,
                             std::size_t jobs = 1) {
  const Result<Program> program = parse_program({{"p.sql", kTickets}});
  EXPECT_TRUE(program);
  const Result<Scenario> invariants =
      parse_scenario(std::string(kGaps) + "session s step s { SELECT 1; }", "gaps.txt");
  EXPECT_TRUE(invariants);
  FindOptions options;
  options.level = find_isolation_level(level);
  options.max_instances = 2;
  ExecuteOptions execution;
  execution.on.texts = {store};
  execution.jobs = jobs;
  execution.invariants = invariants->invariants;
  execution.rows = SourceText{.file = "rows.sql",
                              .text =
                                  "INSERT INTO counter VALUES (1, 5);\n"
                                  "INSERT INTO ticket VALUES (4, 1);\n"};
  Executed executed;
  execution.executed = [&](const FoundCause& cause) {
    std::string text;
    for (const std::string& name : cause.execution->broken_invariants) text += name + ";";
    executed.told.push_back(text);
  };
  Result<FindReport> report = find_anomalies(*program, options);
  EXPECT_TRUE(report);
  const Result<void> done = execute_findings(*program, options, execution, *report);
  EXPECT_TRUE(done) << to_string(done.error());
  executed.report = std::move(*report);
  return executed;
}

std::vector<const FoundBreak*> further_runs(const FindReport& report) {
  std::vector<const FoundBreak*> runs;
  for (const FoundCause& cause : report.causes) {
    for (const FoundBreak& further : cause.execution->further) runs.push_back(&further);
  }
  return runs;
}

TEST(LaterCalls, show_damage_that_shows_when_somebody_goes_on) {
  const Executed executed = execute_later_calls("replicated", "eventual");
  const auto further = further_runs(executed.report);
  ASSERT_EQ(further.size(), 1U);
  EXPECT_THAT(further[0]->invariants, testing::ElementsAre("no gaps"));
  // Two calls make the damage, a third one shows it, and the run says itself that it does.
  const Finding& finding = further[0]->finding;
  EXPECT_THAT(finding.broken_invariants, testing::Contains("no gaps"));
  EXPECT_EQ(std::ranges::count_if(finding.scenario.sessions,
                                  [](const Session& one) { return one.call.has_value(); }),
            3);
  EXPECT_EQ(finding.effect, Effect::internal);
  // Causes are told of one by one, and once more when a later call has shown more: here as soon as
  // one cause of these functionalities has been executed.
  ASSERT_EQ(executed.told.size(), executed.report.causes.size() + 1);
  EXPECT_EQ(executed.told[0], "");
  EXPECT_EQ(executed.told[1], "no gaps;");
}

TEST(LaterCalls, give_the_same_report_whatever_the_number_of_jobs) {
  const Executed one = execute_later_calls("replicated", "eventual", 1);
  const Executed many = execute_later_calls("replicated", "eventual", 4);
  ASSERT_EQ(one.report.causes.size(), many.report.causes.size());
  for (std::size_t i = 0; i < one.report.causes.size(); ++i) {
    const FoundExecution& first = *one.report.causes[i].execution;
    const FoundExecution& second = *many.report.causes[i].execution;
    EXPECT_EQ(first.broken_invariants, second.broken_invariants);
    ASSERT_EQ(first.further.size(), second.further.size());
    for (std::size_t k = 0; k < first.further.size(); ++k) {
      EXPECT_EQ(to_spec(first.further[k].finding.scenario),
                to_spec(second.further[k].finding.scenario));
    }
  }
}

// There the second call to draw a number is refused.
TEST(LaterCalls, break_nothing_where_nothing_goes_wrong) {
  const Executed executed = execute_later_calls("postgres", "serializable");
  EXPECT_THAT(further_runs(executed.report), testing::IsEmpty());
}

}  // namespace
}  // namespace heddle

// The reports of made-up findings, compared with the files in golden/. UPDATE_GOLDEN=1 rewrites
// those; the difference is for people to read.

#include <gtest/gtest.h>

#include "base/text.h"
#include "base/utf8.h"
#include "format/random_finding_testing.h"
#include "format/sample_finding_testing.h"
#include "report/diagram/diagram.h"
#include "report/explore/explore_reports.h"
#include "report/explore/isolationtester.h"
#include "report/explore/sample_reports_testing.h"
#include "report/schedule/finding_diagram.h"

namespace heddle {
namespace {

using sample::expect_golden;
using sample::expect_width;
using sample::explored;
using sample::level;
using sample::many_sessions;
using sample::three_sessions;
using sample::write_skew;

TEST(Report, a_lost_update_as_text) {
  const std::string text = render_text(sample::lost_update(), TextOptions{});
  expect_width(text, 100);
  expect_golden("lost_update.txt", text);
}

TEST(Report, a_lost_update_in_color) {
  expect_golden("lost_update_color.txt", render_text(sample::lost_update(), {true, 80}));
}

TEST(Report, a_lost_update_as_markdown) {
  expect_golden("lost_update.md.txt", render_markdown(sample::lost_update()));
}

TEST(Report, three_sessions_with_everything) {
  const std::string text = render_text(three_sessions(), TextOptions{});
  expect_width(text, 100);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  expect_golden("three_sessions.txt", text);
  expect_golden("three_sessions.md.txt", render_markdown(three_sessions()));
}

TEST(Report, more_sessions_than_fit_become_a_list) {
  const std::string text = render_text(many_sessions(), TextOptions{});
  expect_width(text, 100);
  expect_golden("many_sessions.txt", text);
}

TEST(Report, fits_into_any_reasonable_width) {
  for (std::size_t width = 40; width <= 200; width += 7) {
    expect_width(render_text(three_sessions(), {false, width}), width);
    expect_width(render_text(many_sessions(), {false, width}), width);
  }
}

TEST(Report, one_level_leads_with_what_is_confirmed) {
  Finding possible = write_skew();
  possible.status = FindingStatus::possible;
  const Finding confirmed = sample::lost_update();
  const ExploreReport report = explored({level(std::nullopt, {possible, confirmed}, 0)});
  const std::string text = render_text(report, confirmed.scenario, TextOptions{});
  EXPECT_LT(text.find("1 of 2: Lost update"), text.find("2 of 2: Write skew"));
  expect_golden("explore.txt", text);
}

TEST(Report, several_levels_begin_with_a_table) {
  const Finding finding = sample::lost_update();
  const ExploreReport report =
      explored({level(IsolationLevel::read_committed, {finding, write_skew()}, 0),
                level(IsolationLevel::snapshot, {write_skew()}, 4),
                level(IsolationLevel::serializable, {}, 8)});
  expect_golden("levels.txt", render_text(report, finding.scenario, TextOptions{}));
  expect_golden("levels.md.txt", render_markdown(report, finding.scenario));
}

TEST(Report, says_what_was_not_found_and_why_not_all_is_known) {
  const Scenario scenario = sample::lost_update().scenario;
  const auto text = [&](LevelReport report) {
    const std::string all = render_text(explored({std::move(report)}), scenario, {false, 200});
    return all.substr(all.find('\n') + 1);
  };
  EXPECT_EQ(text(level(IsolationLevel::serializable, {}, 8)),
            "No anomaly in any of the 20 interleavings at serializable; the store aborted a "
            "session in 8 of them.\n");
  EXPECT_EQ(text(level(std::nullopt, {}, 0)),
            "No anomaly in any of the 20 interleavings with isolation as the sessions set it.\n");
  LevelReport cut = level(IsolationLevel::serializable, {}, 0);
  cut.verdict = Verdict::unknown;
  cut.bound = "the time limit of 2 s";
  EXPECT_EQ(text(cut),
            "No anomaly in any of the 20 interleavings that were judged at serializable. Not "
            "everything was tried: the time limit of 2 s.\n");
  cut.interleavings = 1;
  cut.bound.clear();
  EXPECT_EQ(text(cut),
            "No anomaly in the only interleaving that was judged at serializable. Not everything "
            "was tried: the answer is unknown.\n");
}

TEST(Report, names_the_level_that_the_file_asks_for) {
  Scenario scenario = sample::lost_update().scenario;
  scenario.isolation = IsolationLevel::read_committed;
  const std::string text =
      render_text(explored({level(std::nullopt, {}, 0)}), scenario, {false, 200});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "lost_update.spec: 20 interleavings on PostgreSQL 15.4 (throwaway) at read-committed "
            "(as the file says): 0 anomalous, 0 causes");
}

TEST(Report, the_spec_file_of_a_finding_has_its_schedule_only) {
  Finding finding = sample::lost_update();
  finding.isolation = IsolationLevel::read_committed;
  finding.schedule.steps[0].blockers = {{Blocker::Kind::other_step, StepId(3), 0}};
  const std::string spec = render_spec(finding);
  expect_golden("lost_update.spec", spec);
  const Result<Scenario> again = parse_scenario(spec, "again.spec");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  ASSERT_EQ(again->permutations.size(), 1U);
  EXPECT_EQ(again->permutations[0].steps, finding.schedule.steps);
  EXPECT_EQ(again->isolation, IsolationLevel::read_committed);
}

TEST(Report, comments_of_a_spec_file_cannot_be_left) {
  Finding finding = sample::lost_update();
  finding.explanation.let = "x\nsession evil step e { DROP TABLE account; }";
  const Result<Scenario> again = parse_scenario(render_spec(finding), "again.spec");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_EQ(again->sessions.size(), 2U);
}

TEST(Report, a_replay_says_how_often_it_was_confirmed) {
  const Finding finding = sample::lost_update();
  ReplayReport report{{.runs = 10, .confirmed = 10, .verdict = Verdict::violated},
                      "PostgreSQL 15.4 (throwaway)"};
  EXPECT_EQ(render_text(report, finding, {}),
            "confirmed 10/10 on PostgreSQL 15.4 (throwaway): lost update by r1 r2 w1 w2 c1 c2\n");
  report.confirmed = 7;
  report.differences = {"w2 did not wait", "result of step r2: (110)", "w2 did not wait"};
  EXPECT_EQ(render_text(report, finding, {}),
            "not always 7/10 on PostgreSQL 15.4 (throwaway): lost update by r1 r2 w1 w2 c1 c2\n"
            "What differed:\n"
            "  2 runs    w2 did not wait\n"
            "  1 run     result of step r2: (110)\n");
  report.confirmed = 0;
  EXPECT_EQ(render_text(report, finding, {}).rfind("not confirmed 0/10", 0), 0U);
}

TEST(Report, findings_of_any_content_are_rendered_within_the_width) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const Finding finding = sample::RandomFinding(seed).make();
    const std::string text = render_text(finding, {false, 80});
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << seed;
    EXPECT_TRUE(is_utf8(text)) << seed;
    expect_width(text, 80);
    EXPECT_TRUE(is_utf8(render_markdown(finding))) << seed;
    EXPECT_TRUE(is_utf8(render_spec(finding))) << seed;
    EXPECT_NE(isolationtester_permutation(finding.scenario, finding.run), "") << seed;
    LevelReport only;
    only.findings = {finding, finding};
    EXPECT_NE(render_text(explored({only, only}), finding.scenario, {true, 60}), "") << seed;
    EXPECT_NE(render_markdown(explored({only, only}), finding.scenario), "") << seed;
  }
}

TEST(Diagram, marks_the_row_in_which_a_waiting_step_came_back) {
  const Diagram diagram = draw(sample::lost_update());
  EXPECT_EQ(diagram.columns, (std::vector<std::string>{"s1", "s2"}));
  std::vector<std::string> labels;
  std::vector<std::size_t> wrong;
  for (const DiagramRow& row : diagram.rows) {
    if (row.wrong) wrong.push_back(labels.size());
    labels.push_back(row.label);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"setup", "r1", "r2", "w1", "w2", "c1", "w2", "c2"}));
  EXPECT_EQ(wrong, (std::vector<std::size_t>{6}));
  EXPECT_EQ(diagram.rows[4].cells[1].back(),
            (StyledLine{TextStyle::stalled, "stalled, waits for s1"}));
  EXPECT_EQ(diagram.rows[5].cells[1], (StyledCell{{TextStyle::stalled, "stalled"}}));
  EXPECT_TRUE(diagram.rows[7].cells[0].empty());
}

TEST(Diagram, a_step_named_setup_is_a_step) {
  sample::RunNotes notes(sample::parse(
      "session a step \"setup\" { SELECT 1; } session b step b1 { SELECT 2; }", "x.spec"));
  notes.waits("b1", "a");
  notes.done("setup", {});
  notes.resumes("b1", {});
  const std::string list = render_diagram_text(draw(notes.finding()), {false, 40});
  EXPECT_EQ(list.find("│ setup │ b"), std::string::npos) << list;
}

TEST(Diagram, a_commit_that_became_a_rollback_is_seen) {
  sample::RunNotes notes(
      sample::parse("session a step c { COMMIT; } step r { ROLLBACK; }", "x.spec"));
  notes.done("c", {sample::tag("ROLLBACK")});
  notes.done("r", {sample::tag("ROLLBACK")});
  const Diagram diagram = draw(notes.finding());
  EXPECT_EQ(diagram.rows[0].cells[0],
            (StyledCell{{TextStyle::commit, "COMMIT"}, {TextStyle::error, "✗ ROLLBACK"}}));
  EXPECT_EQ(diagram.rows[1].cells[0], (StyledCell{{TextStyle::commit, "ROLLBACK"}}));
}

}  // namespace
}  // namespace heddle

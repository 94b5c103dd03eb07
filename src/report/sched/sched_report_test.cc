// The reports of made-up findings, compared with the files in golden/. UPDATE_GOLDEN=1 rewrites
// those; the difference is for people to read.
#include <cstddef>
#include <string>

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "format/sched/sample_sched_testing.h"
#include "report/sched/finding_replay.h"
#include "report/sched/sched_diagram.h"
#include "report/sched/sched_reports.h"
#include "report/sched/sched_summary.h"
#include "report/text/golden_testing.h"

namespace heddle {
namespace {

using sample::expect_golden;

TEST(SchedText, tells_what_decides) {
  expect_golden("lost_update.txt", render_text(sample::lost_update(), TextOptions{}));
  expect_golden("deadlock.txt", render_text(sample::deadlock(), TextOptions{}));
}

TEST(SchedText, says_where_it_is_not_steady) {
  SchedFinding finding = sample::lost_update();
  finding.is_unsteady = true;
  const std::string text = render_text(finding, TextOptions{});
  EXPECT_NE(text.find("not again under the same schedule"), std::string::npos) << text;
}

TEST(SchedSvg, draws_what_decides) {
  expect_golden("lost_update.svg", render_svg(sample::lost_update()));
  expect_golden("deadlock.svg", render_svg(sample::deadlock()));
}

TEST(SchedHtml, is_one_page) {
  expect_golden("lost_update.html", render_html(sample::lost_update()));
}

TEST(SchedJunit, has_a_case) {
  expect_golden("lost_update.junit.xml",
                junit_document("heddle::sched", {{"lost", {}, {case_of(sample::lost_update())}}}));
}

TEST(SchedReports, take_any_texts) {
  for (const SchedFinding& finding : sample::sched_findings()) {
    for (const std::string& text :
         {render_text(finding, TextOptions{}), render_svg(finding), render_html(finding),
          junit_document("heddle::sched", {{"lost", {}, {case_of(finding)}}})}) {
      EXPECT_TRUE(is_utf8(text)) << text;
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
      EXPECT_EQ(text.find('\0'), std::string::npos) << text;
    }
  }
}

TEST(SchedDiagram, folds_what_goes_on_for_ever) {
  SchedFinding finding = sample::lost_update();
  finding.steps.clear();
  for (std::size_t i = 0; i < 300; ++i) {
    // The runtime itself leaves the middle out where there is very much.
    finding.steps.push_back(sample::step_of(i < 150 ? i + 1 : i + 1001, i % 2, "reads 0 (A)", 9));
  }
  finding.pair = SchedPair{.first = 100, .second = 101, .mutex = ""};
  const SchedDiagram drawn = draw(finding);
  ASSERT_EQ(drawn.diagram.rows.size(), 101U);
  EXPECT_EQ(drawn.diagram.rows[39].label, "40");
  EXPECT_EQ(drawn.diagram.rows[40].cells[0][0].text, "1200 steps");
  EXPECT_EQ(drawn.diagram.rows[41].label, "1241");
  EXPECT_TRUE(drawn.arrows.empty());
}

TEST(SchedReplay, says_what_came_of_it) {
  const SchedFinding finding = sample::lost_update();
  SchedReplayReport report{
      {.runs = 2, .confirmed = 2, .verdict = Verdict::violated}, "./lost", false, finding};
  EXPECT_EQ(replay_head(report, finding),
            "confirmed 2/2 by ./lost: lost update, assertion failed: an increment is lost");
  EXPECT_EQ(replay_suite(report, finding).count(CaseOutcome::failure), 1U);
  report.shown.reset();
  report.confirmed = 0;
  report.verdict = Verdict::satisfied;
  report.differences = {"nothing fails", "nothing fails"};
  EXPECT_TRUE(replay_head(report, finding).starts_with("not confirmed 0/2 by ./lost: "));
  EXPECT_EQ(replay_suite(report, finding).count(CaseOutcome::passed), 1U);
  report.is_changed = true;
  report.verdict = Verdict::unknown;
  EXPECT_TRUE(replay_head(report, finding).starts_with("program changed 0/2 by ./lost: "));
  EXPECT_EQ(replay_suite(report, finding).count(CaseOutcome::error), 1U);
  report.confirmed = 1;
  EXPECT_TRUE(replay_head(report, finding).starts_with("not always 1/2 by ./lost: "));
  report.obstacle = "it has no such test";
  EXPECT_TRUE(replay_head(report, finding)
                  .starts_with("not replayable by ./lost, it has no such test: lost update"));
}

}  // namespace
}  // namespace heddle

#include "report/sched/finding_replay.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/printable.h"
#include "report/sched/sched_reports.h"
#include "report/sched/sched_summary.h"
#include "report/schedule/run_text.h"
#include "report/text/replayed_runs.h"

namespace heddle {

namespace {

std::string_view word_of(const SchedReplayReport& report) {
  const bool shows_nothing = report.obstacle.empty() && report.confirmed == 0;
  return shows_nothing && report.is_changed ? "program changed" : replay_word(report);
}

}  // namespace

std::string replay_head(const SchedReplayReport& report, const SchedFinding& finding) {
  const std::string pattern = finding.pattern.empty() ? "" : printable(finding.pattern) + ", ";
  const std::string what = pattern + printable(sched_title(finding));
  return runs_head(word_of(report), report, "by " + printable(report.program), what);
}

const SchedFinding& shown_finding(const SchedReplayReport& report, const SchedFinding& finding) {
  return report.shown ? *report.shown : finding;
}

std::string render_text(const SchedReplayReport& report, const SchedFinding& finding,
                        const TextOptions& options) {
  std::string text = heading_text(replay_head(report, finding), options) +
                     differences_text(report.differences, options);
  if (!report.shown) return text;
  return text + "\n" + render_text(*report.shown, options);
}

std::string case_name(const SchedFinding& finding) { return printable(finding.test); }

TestSuite replay_suite(const SchedReplayReport& report, const SchedFinding& finding) {
  TestCase test{case_name(finding), CaseOutcome::passed, "", replay_head(report, finding),
                render_text(report, finding, TextOptions{})};
  judge_case(report, finding.pattern.empty() ? finding.oracle : finding.pattern, test);
  return {printable(sched_title(finding)), {{"program", printable(report.program)}}, {test}};
}

}  // namespace heddle

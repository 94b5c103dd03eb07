#include "report/sched/finding_replay.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/printable.h"
#include "report/sched/sched_reports.h"
#include "report/sched/sched_summary.h"
#include "report/schedule/run_text.h"

namespace heddle {

namespace {

std::string_view word_of(const SchedReplayReport& report) {
  if (!report.obstacle.empty()) return "not replayable";
  if (report.runs > 0 && report.confirmed == report.runs) return "confirmed";
  if (report.confirmed > 0) return "not always";
  return report.is_changed ? "program changed" : "not reproduced";
}

}  // namespace

std::string replay_head(const SchedReplayReport& report, const SchedFinding& finding) {
  const std::string pattern = finding.pattern.empty() ? "" : printable(finding.pattern) + ", ";
  const std::string what = pattern + printable(sched_title(finding));
  const std::string program = printable(report.program);
  if (!report.obstacle.empty()) {
    return fmt::format("{} by {}, {}: {}", word_of(report), program, printable(report.obstacle),
                       what);
  }
  return fmt::format("{} {}/{} by {}: {}", word_of(report), report.confirmed, report.runs, program,
                     what);
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
  if (report.verdict == Verdict::violated) {
    test.outcome = CaseOutcome::failure;
    test.type = finding.pattern.empty() ? finding.oracle : finding.pattern;
  } else if (report.verdict == Verdict::unknown) {
    test.outcome = CaseOutcome::error;
    test.type = report.obstacle.empty() ? "not-always" : "not-replayable";
  }
  return {printable(sched_title(finding)), {{"program", printable(report.program)}}, {test}};
}

}  // namespace heddle

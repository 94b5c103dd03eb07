// Explorations and replays as JUnit's XML: a suite per scenario and level.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/explore/explore_reports.h"
#include "report/explore/replay_reports.h"
#include "report/schedule/summary.h"
#include "report/text/junit_xml.h"
#include "report/text/layout.h"
#include "report/text/replayed_runs.h"

namespace heddle {

std::string case_name(const Finding& finding) {
  return finding_title(finding) + " [" + printable(finding.id) + "]";
}

namespace {

// The name stays the same from run to run, so that build servers can follow it.
TestCase case_of_finding(const Finding& finding) {
  TestCase test{
      case_name(finding), CaseOutcome::failure, std::string(definition(finding.kind).slug),
      finding_title(finding) + " by " + printable(to_string(finding.scenario, finding.schedule)),
      render_text(finding, TextOptions{})};
  if (finding.suppressed) {
    test.outcome = CaseOutcome::skipped;
    test.message = "suppressed: " + printable(*finding.suppressed);
  }
  return test;
}

// The exploration itself passes when everything was tried. Cut short, it is an error while that
// leaves the answer open, and left out where the answer is known.
TestCase exploration_case(const LevelReport& level, const ExploredScenario& one) {
  TestCase test{"every interleaving", CaseOutcome::passed, "bound", "",
                level_head(level, one.report, one.scenario) + "."};
  const std::string note = level_note(level, one.scenario);
  if (!note.empty()) test.text += "\n" + note;
  if (level.verdict != Verdict::unknown && level.bound.empty()) return test;
  test.outcome = level.verdict == Verdict::violated ? CaseOutcome::skipped : CaseOutcome::error;
  test.message = level.bound.empty() ? "not everything was tried"
                                     : "not everything was tried: " + printable(level.bound);
  return test;
}

TestSuite suite_of(const LevelReport& level, const ExploredScenario& one) {
  TestSuite suite{printable(one.scenario.file) + " " + at_level(level.isolation, one.scenario),
                  {{"store", printable(one.report.store)},
                   {"isolation", level_text(level.isolation, one.scenario)}},
                  {exploration_case(level, one)}};
  for (const Finding* finding : order_findings(level))
    suite.cases.push_back(case_of_finding(*finding));
  return suite;
}

TestSuite suite_of_trouble(const ExploredScenario& one) {
  const std::string what = printable(to_string(*one.trouble));
  return {printable(one.scenario.file),
          {},
          {{"every interleaving", CaseOutcome::error, "not-explored", what, what}}};
}

TestSuite suite_of(const ReplayReport& report, const Finding& finding) {
  TestCase test{case_name(finding), CaseOutcome::passed, "", replay_head(report, finding),
                render_text(report, finding, TextOptions{})};
  judge_case(report, definition(finding.kind).slug, test);
  if (test.outcome == CaseOutcome::failure) test.text += "\n" + render_text(finding, TextOptions{});
  return {printable(finding.scenario.file) + " " + at_level(finding.isolation, finding.scenario),
          {{"store", printable(report.store)},
           {"isolation", level_text(finding.isolation, finding.scenario)}},
          {test}};
}

TestSuite suite_of_trouble(const ReplayedFile& one) {
  const std::string what = printable(to_string(*one.trouble));
  return {printable(one.file), {}, {{one.name, CaseOutcome::error, "not-run", what, what}}};
}

}  // namespace

std::string render_junit(std::span<const ExploredScenario> explored) {
  std::vector<TestSuite> suites;
  for (const ExploredScenario& one : explored) {
    if (one.trouble) suites.push_back(suite_of_trouble(one));
    for (const LevelReport& level : one.report.levels) suites.push_back(suite_of(level, one));
  }
  return junit_document("heddle explore", suites);
}

ToldReplay told_replay(const ReplayReport& report, const Finding& finding,
                       const TextOptions& options) {
  return {.head = replay_head(report, finding),
          .text = render_text(report, finding, options),
          .json = render_json(report, finding),
          .suite = suite_of(report, finding),
          .verdict = report.verdict};
}

std::string render_junit(const ReplayReport& report, const Finding& finding) {
  return junit_document("heddle replay", {suite_of(report, finding)});
}

std::string render_junit(std::span<const ReplayedFile> replayed) {
  std::vector<TestSuite> suites;
  for (const ReplayedFile& each : replayed) {
    if (each.trouble) suites.push_back(suite_of_trouble(each));
    if (!each.told) continue;
    suites.push_back(each.told->suite);
    suites.back().properties.emplace_back("file", printable(each.file));
  }
  return junit_document("heddle replay", suites);
}

}  // namespace heddle

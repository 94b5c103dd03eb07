// Races as JUnit's XML: a case per candidate. What fails is what makes the command fail.

#include <algorithm>
#include <span>
#include <string>

#include "report/race/finding_replay.h"
#include "report/race/replay_reports.h"
#include "report/race/replay_summary.h"
#include "report/text/junit_xml.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

CaseOutcome case_outcome(RaceResult result, std::span<const RaceResult> failing) {
  if (std::ranges::find(failing, result) != failing.end()) return CaseOutcome::failure;
  switch (result) {
    case RaceResult::inconclusive:
    case RaceResult::not_replayable:
    case RaceResult::not_reached:
      return CaseOutcome::error;
    case RaceResult::not_feasible:
      return CaseOutcome::skipped;
    default:
      return CaseOutcome::passed;
  }
}

// The name stays the same from run to run, so that build servers can follow it.
TestCase case_of_race(const RaceFinding& finding, std::span<const RaceResult> failing) {
  const std::string result(to_string(finding.result));
  TestCase test{case_name(finding), case_outcome(finding.result, failing),
                std::string(slug(finding.result)),
                finding.why.empty() ? result : result + ": " + printable(finding.why),
                render_text(finding, TextOptions{})};
  if (finding.suppressed) {
    test.outcome = CaseOutcome::skipped;
    test.message = "suppressed: " + printable(*finding.suppressed);
  }
  return test;
}

}  // namespace

std::string render_junit(const RaceReport& report, std::span<const RaceResult> failing) {
  TestSuite suite{printable(report.trace), {}, {}};
  for (const RaceCount& each : race_counts(report)) {
    suite.properties.emplace_back(std::string(each.name), std::to_string(each.count));
  }
  for (const RaceFinding& finding : report.findings) {
    suite.cases.push_back(case_of_race(finding, failing));
  }
  return junit_document("heddle race", {suite});
}

}  // namespace heddle

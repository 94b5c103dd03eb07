// Anomalies of a program as JUnit's XML: a case for the search and one for each cause.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/find/cause_table.h"
#include "report/find/find_reports.h"
#include "report/find/find_summary.h"
#include "report/text/junit_xml.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

TestCase search_case(const FindReport& report, const FindSummary& summary) {
  TestCase test{"the search", CaseOutcome::passed, "bound", "", ""};
  for (const std::string& line : summary.coverage) test.text += printable(line) + "\n";
  for (const std::string& line : summary.head) test.text += printable(line) + "\n";
  for (const std::string& line : summary.counts) test.text += printable(line) + "\n";
  if (report.bound.empty()) return test;
  // What was found is known all the same.
  test.outcome = report.causes.empty() ? CaseOutcome::error : CaseOutcome::skipped;
  test.message = "not complete: " + printable(report.bound);
  return test;
}

// The name stays the same from run to run, so that build servers can follow it.
TestCase case_of_cause(const FoundCause& cause, const CauseRow& row, const CauseText& words) {
  TestCase test{
      printable(words.title(cause)) + " [" + row.id + "]",
      row.status == to_string(FindingStatus::refuted) ? CaseOutcome::passed : CaseOutcome::failure,
      std::string(definition(cause.kind).slug), printable(words.status(cause)),
      cause_details_text(details_of(cause, row.number, words), TextOptions{})};
  if (row.suppressed) {
    test.outcome = CaseOutcome::skipped;
    test.message = "suppressed: " + printable(*row.suppressed);
  }
  return test;
}

}  // namespace

std::string render_junit(const FindReport& report, const Program& program) {
  const CauseText words(program);
  const FindSummary summary = summarize(report, program, words);
  TestSuite suite{"heddle find", {}, {search_case(report, summary)}};
  for (std::size_t i = 0; i < report.causes.size(); ++i) {
    suite.cases.push_back(case_of_cause(report.causes[i], summary.rows[i], words));
  }
  return junit_document("heddle find", {suite});
}

}  // namespace heddle

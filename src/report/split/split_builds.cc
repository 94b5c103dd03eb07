// What a cut adds, for build servers: SARIF on the lines of the code, and JUnit's XML with a case
// for the search and one for each cause.
#include <string>
#include <utility>

#include <fmt/format.h>

#include "report/find/cause_table.h"
#include "report/find/find_reports.h"
#include "report/split/split_counts.h"
#include "report/split/split_reports.h"
#include "report/split/split_words.h"
#include "report/text/junit_xml.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

FoundCause as_found(const SplitCause& cause) {
  FoundCause found{.kind = cause.kind, .cores = cause.cycles, .extensions = {}};
  found.execution = cause.execution;
  found.id = cause.id;
  return found;
}

TestCase case_of_search(const SplitReport& report, const SplitWords& words) {
  TestCase test{"the search", CaseOutcome::passed, "bound", "", ""};
  test.text += printable(words.head()) + "\n";
  for (const std::string& line : words.summary(count_causes(report))) {
    test.text += printable(line) + "\n";
  }
  if (report.bound.empty()) return test;
  // What was found is known all the same.
  test.outcome = report.causes.empty() ? CaseOutcome::error : CaseOutcome::skipped;
  test.message = "not complete: " + printable(report.bound);
  return test;
}

// The name stays the same from run to run, so that build servers can follow it.
TestCase case_of_split_cause(const SplitCause& cause, std::size_t number, const SplitWords& words) {
  const CauseDetails details = words.details(cause, number);
  const bool is_refuted = cause.execution && cause.execution->status == FindingStatus::refuted;
  const std::string status = cause.execution ? words.status(cause) : "possible";
  return {printable(details.title) + " [" + cause.id + "]",
          is_refuted ? CaseOutcome::passed : CaseOutcome::failure,
          std::string(definition(cause.kind).slug), printable(status),
          cause_details_text(details, TextOptions{})};
}

}  // namespace

std::string render_sarif(const SplitReport& report) {
  FindReport found;
  for (const SplitCause& cause : report.causes) found.causes.push_back(as_found(cause));
  found.bound = report.bound;
  return render_sarif(found, report.chopped.program);
}

std::string render_junit(const SplitReport& report) {
  const SplitWords words(report);
  TestSuite suite{"heddle split", {}, {case_of_search(report, words)}};
  for (std::size_t i = 0; i < report.causes.size(); ++i) {
    suite.cases.push_back(case_of_split_cause(report.causes[i], i + 1, words));
  }
  return junit_document("heddle split", {suite});
}

}  // namespace heddle

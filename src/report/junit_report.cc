// JUnit's XML as build servers read it: <testsuites> with a suite per scenario and level. There is
// no standard; elements and attributes are those that Ant, Jenkins and GitLab agree on. Times are
// left out, so that the same input gives the same bytes.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/layout.h"
#include "report/markup.h"
#include "report/report.h"
#include "report/summary.h"

namespace heddle {

namespace {

enum class CaseOutcome { passed, failure, error, skipped };

struct TestCase {
  std::string name;
  CaseOutcome outcome = CaseOutcome::passed;
  std::string type;     // what kind of failure
  std::string message;  // on one line
  std::string text;     // all there is to say
};

struct TestSuite {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<TestCase> cases;

  std::size_t count(CaseOutcome outcome) const {
    std::size_t found = 0;
    for (const TestCase& test : cases) found += test.outcome == outcome ? 1 : 0;
    return found;
  }
};

std::string_view element_of(CaseOutcome outcome) {
  switch (outcome) {
    case CaseOutcome::failure:
      return "failure";
    case CaseOutcome::error:
      return "error";
    case CaseOutcome::skipped:
      return "skipped";
    case CaseOutcome::passed:
      break;
  }
  return "system-out";
}

std::string case_element(const TestCase& test, const std::string& suite) {
  std::string content;
  if (test.outcome == CaseOutcome::passed) {
    if (!test.text.empty()) content = element("system-out", "", markup_text(test.text));
  } else {
    std::string attributes = attribute("message", test.message);
    if (test.outcome != CaseOutcome::skipped) attributes += attribute("type", test.type);
    content = element(element_of(test.outcome), attributes, markup_text(test.text));
  }
  if (!content.empty()) content = "\n" + content + "\n";
  return element("testcase", attribute("classname", suite) + attribute("name", test.name),
                 content) +
         "\n";
}

std::string counts_of(std::size_t tests, std::size_t failures, std::size_t errors,
                      std::size_t skipped) {
  return attribute("tests", std::to_string(tests)) +
         attribute("failures", std::to_string(failures)) +
         attribute("errors", std::to_string(errors)) +
         attribute("skipped", std::to_string(skipped));
}

std::string suite_element(const TestSuite& suite) {
  std::string properties;
  for (const auto& [name, value] : suite.properties) {
    properties +=
        element("property", attribute("name", name) + attribute("value", value), "") + "\n";
  }
  std::string content = "\n";
  if (!properties.empty()) content += element("properties", "", "\n" + properties) + "\n";
  for (const TestCase& test : suite.cases) content += case_element(test, suite.name);
  return element("testsuite",
                 attribute("name", suite.name) +
                     counts_of(suite.cases.size(), suite.count(CaseOutcome::failure),
                               suite.count(CaseOutcome::error), suite.count(CaseOutcome::skipped)),
                 content) +
         "\n";
}

std::string document(const std::string& name, const std::vector<TestSuite>& suites) {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  std::string content = "\n";
  for (const TestSuite& suite : suites) {
    tests += suite.cases.size();
    failures += suite.count(CaseOutcome::failure);
    errors += suite.count(CaseOutcome::error);
    skipped += suite.count(CaseOutcome::skipped);
    content += suite_element(suite);
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         element("testsuites",
                 attribute("name", name) + counts_of(tests, failures, errors, skipped), content) +
         "\n";
}

// The name stays the same from run to run, so that build servers can follow it.
std::string case_name(const Finding& finding) {
  return finding_title(finding) + " [" + printable(finding.id) + "]";
}

TestCase case_of(const Finding& finding) {
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
  for (const Finding* finding : order_findings(level)) suite.cases.push_back(case_of(*finding));
  return suite;
}

TestSuite suite_of_trouble(const ExploredScenario& one) {
  const std::string what = printable(to_string(*one.trouble));
  return {printable(one.scenario.file),
          {},
          {{"every interleaving", CaseOutcome::error, "not-explored", what, what}}};
}

}  // namespace

std::string render_junit(std::span<const ExploredScenario> explored) {
  std::vector<TestSuite> suites;
  for (const ExploredScenario& one : explored) {
    if (one.trouble) suites.push_back(suite_of_trouble(one));
    for (const LevelReport& level : one.report.levels) suites.push_back(suite_of(level, one));
  }
  return document("heddle explore", suites);
}

std::string render_junit(const ReplayReport& report, const Finding& finding) {
  TestCase test{case_name(finding), CaseOutcome::passed, "", replay_head(report, finding),
                render_text(report, finding, TextOptions{})};
  if (report.verdict == Verdict::violated) {
    test.outcome = CaseOutcome::failure;
    test.type = definition(finding.kind).slug;
    test.text += "\n" + render_text(finding, TextOptions{});
  } else if (report.verdict == Verdict::unknown) {
    test.outcome = CaseOutcome::error;
    test.type = "not-always";
  }
  const TestSuite suite{
      printable(finding.scenario.file) + " " + at_level(finding.isolation, finding.scenario),
      {{"store", printable(report.store)},
       {"isolation", level_text(finding.isolation, finding.scenario)}},
      {test}};
  return document("heddle replay", {suite});
}

}  // namespace heddle

#include "report/text/junit_xml.h"

#include <string_view>

#include "report/text/markup.h"

namespace heddle {

namespace {

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

}  // namespace

std::string junit_document(const std::string& name, const std::vector<TestSuite>& suites) {
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

}  // namespace heddle

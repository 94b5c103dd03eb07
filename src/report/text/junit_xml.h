// JUnit's XML as build servers read it: <testsuites> with suites and their cases. There is no
// standard; elements and attributes are those that Ant, Jenkins and GitLab agree on. Times are left
// out, so that the same input gives the same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

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

// Texts may hold any bytes.
std::string junit_document(const std::string& name, const std::vector<TestSuite>& suites);

}  // namespace heddle

// Reports that other programs read: JSON documents and spec files.

#include <string>

#include "format/report_json.h"
#include "report/explore/explore_reports.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kCommentWidth = 98;

std::string comment(const std::string& text) {
  std::string result;
  for (const std::string& line : wrap(text, kCommentWidth)) result += "# " + line + "\n";
  return result;
}

}  // namespace

std::string render_json(const ExploreReport& report, const Scenario& scenario) {
  return to_json(report, scenario);
}

std::string render_json(const WhyNotReport& report, const Scenario& scenario) {
  return to_json(report, scenario);
}

std::string render_json(const ReplayReport& report, const Finding& finding) {
  return to_json(report, finding);
}

std::string render_spec(const Finding& finding) {
  Scenario scenario = finding.scenario;
  scenario.permutations = {Permutation{finding.schedule.steps, {}}};
  if (finding.isolation) scenario.isolation = finding.isolation;
  std::string text = comment(finding_title(finding));
  for (const std::string& paragraph : explanation_paragraphs(finding)) text += comment(paragraph);
  text += "#\n";
  for (const Fact& fact : finding_facts(finding)) text += comment(fact.name + ": " + fact.text);
  return text + "\n" + to_spec(scenario);
}

}  // namespace heddle

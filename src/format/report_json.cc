#include "format/report_json.h"

#include <utility>

#include "format/finding_json.h"
#include "format/names.h"
#include "format/scenario_json.h"

namespace heddle {

namespace {

Json write_level(const LevelReport& level) {
  Json findings = Json::array();
  for (const Finding& finding : level.findings) findings.push_back(write_finding(finding));
  return {{"isolation", level.isolation ? Json(definition(*level.isolation).name) : Json(nullptr)},
          {"verdict", to_string(level.verdict)},
          {"interleavings", level.interleavings},
          {"anomalous", level.anomalous},
          {"aborted_runs", level.aborted_runs},
          {"serial_orders", level.serial_orders},
          {"reduced", level.reduced},
          {"bound", text_json(level.bound)},
          {"findings", std::move(findings)}};
}

Json write_diagnostic(const Diagnostic& diagnostic) {
  return {{"what", text_json(diagnostic.what)},
          {"what_to_do", text_json(diagnostic.what_to_do)},
          {"file", text_json(diagnostic.file)},
          {"line", diagnostic.position.line},
          {"column", diagnostic.position.column}};
}

}  // namespace

std::string to_json(const ExploreReport& report, const Scenario& scenario) {
  Json levels = Json::array();
  for (const LevelReport& level : report.levels) levels.push_back(write_level(level));
  Json warnings = Json::array();
  for (const Diagnostic& warning : report.warnings) warnings.push_back(write_diagnostic(warning));
  return print_json({{"heddle", "explore/1"},
                     {"file", text_json(scenario.file)},
                     {"store", text_json(report.store)},
                     {"levels", std::move(levels)},
                     {"warnings", std::move(warnings)}});
}

std::string to_json(const ReplayReport& report, const Finding& finding) {
  Json differences = Json::array();
  for (const std::string& difference : report.differences) {
    differences.push_back(text_json(difference));
  }
  return print_json({{"heddle", "replay/1"},
                     {"finding", text_json(finding.id)},
                     {"kind", definition(finding.kind).slug},
                     {"schedule", ScenarioNames(finding.scenario).write(finding.schedule)},
                     {"store", text_json(report.store)},
                     {"runs", report.runs},
                     {"confirmed", report.confirmed},
                     {"verdict", to_string(report.verdict)},
                     {"differences", std::move(differences)}});
}

}  // namespace heddle

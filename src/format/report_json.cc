#include "format/report_json.h"

#include <utility>

#include "base/printable.h"
#include "format/finding_json.h"
#include "format/json/json.h"
#include "format/json/names.h"
#include "format/scenario_json.h"

namespace heddle {

namespace {

Json write_repair(const Repair& repair) {
  Json changes = Json::array();
  for (const RepairChange& change : repair.changes) {
    changes.push_back({{"kind", to_string(change.kind)},
                       {"sentence", text_json(change.sentence)},
                       {"places", texts_json(change.places)},
                       {"statements", change.statements}});
  }
  return {{"changes", std::move(changes)},
          {"statements", repair.statements},
          {"interleavings", repair.interleavings},
          {"aborted_runs", repair.aborted_runs},
          {"waiting_runs", repair.waiting_runs},
          {"keeps_apart", repair.keeps_apart},
          {"spec", text_json(to_spec(repair.scenario))}};
}

Json write_repairs(const RepairReport& report) {
  Json repairs = Json::array();
  for (const Repair& repair : report.repairs) repairs.push_back(write_repair(repair));
  return {
      {"repairs", std::move(repairs)}, {"tried", report.tried}, {"bound", text_json(report.bound)}};
}

Json write_retry(const RetryReport& retry, const Scenario& scenario) {
  return {
      {"runs", retry.runs},
      {"repaired", retry.repaired},
      {"repeats", retry.repeats ? ScenarioNames(scenario).write(*retry.repeats) : Json(nullptr)},
      {"retried", texts_json(retry.retried)}};
}

Json write_level(const LevelReport& level, const Scenario& scenario) {
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
          {"findings", std::move(findings)},
          {"repair", level.repair ? write_repairs(*level.repair) : Json(nullptr)},
          {"retry", level.retry ? write_retry(*level.retry, scenario) : Json(nullptr)}};
}

Json write_obstacle(const Obstacle& obstacle, const Scenario& scenario) {
  Json sessions = Json::array();
  for (const SessionId session : obstacle.sessions) {
    sessions.push_back(text_json(scenario.sessions[session.index()].name));
  }
  return {{"kind", to_string(obstacle.kind)},
          {"step", text_json(scenario.steps[obstacle.step.index()].name)},
          {"sessions", std::move(sessions)},
          {"rows", texts_json(obstacle.rows)},
          {"sentence", text_json(obstacle.sentence)}};
}

Json write_answer(const ScheduleAnswer& answer, const Scenario& scenario) {
  const ScenarioNames names(scenario);
  Json obstacles = Json::array();
  for (const Obstacle& obstacle : answer.obstacles) {
    obstacles.push_back(write_obstacle(obstacle, scenario));
  }
  Json elsewhere = Json::array();
  for (const auto& [level, happens] : answer.elsewhere) {
    elsewhere.push_back({{"isolation", definition(level).name}, {"happens", happens}});
  }
  return {{"asked", names.write(answer.asked)},
          {"ran", names.write(answer.finding.run.planned)},
          {"happens", answer.happens},
          {"obstacles", std::move(obstacles)},
          {"equal_order", texts_json(answer.equal_order)},
          {"conclusion", text_json(answer.conclusion)},
          {"elsewhere", std::move(elsewhere)},
          {"finding", answer.happens ? write_finding(answer.finding) : Json(nullptr)}};
}

Json write_diagnostic(const Diagnostic& diagnostic) {
  return {{"what", shown_message(diagnostic.what)},
          {"what_to_do", shown_message(diagnostic.what_to_do)},
          {"file", text_json(diagnostic.file)},
          {"line", diagnostic.position.line},
          {"column", diagnostic.position.column}};
}

}  // namespace

std::string to_json(const ExploreReport& report, const Scenario& scenario) {
  Json levels = Json::array();
  for (const LevelReport& level : report.levels) levels.push_back(write_level(level, scenario));
  Json warnings = Json::array();
  for (const Diagnostic& warning : report.warnings) warnings.push_back(write_diagnostic(warning));
  return print_json({{"heddle", "explore/1"},
                     {"file", text_json(scenario.file)},
                     {"store", text_json(report.store)},
                     {"levels", std::move(levels)},
                     {"warnings", std::move(warnings)}});
}

std::string to_json(const WhyNotReport& report, const Scenario& scenario) {
  Json answers = Json::array();
  for (const ScheduleAnswer& answer : report.answers) {
    answers.push_back(write_answer(answer, scenario));
  }
  return print_json(
      {{"heddle", "why-not/1"},
       {"file", text_json(scenario.file)},
       {"store", text_json(report.store)},
       {"isolation", report.isolation ? Json(definition(*report.isolation).name) : Json(nullptr)},
       {"answers", std::move(answers)}});
}

std::string to_json(const ReplayReport& report, const Finding& finding) {
  Json differences = Json::array();
  for (const std::string& difference : report.differences) {
    differences.push_back(text_json(difference));
  }
  Json json = {{"heddle", "replay/1"},
               {"finding", text_json(finding.id)},
               {"kind", definition(finding.kind).slug},
               {"schedule", ScenarioNames(finding.scenario).write(finding.schedule)},
               {"store", text_json(report.store)},
               {"runs", report.runs},
               {"confirmed", report.confirmed},
               {"verdict", to_string(report.verdict)},
               {"differences", std::move(differences)}};
  if (report.by_program) json["by_program"] = true;
  if (is_unconfirmed(finding)) json["unconfirmed"] = true;
  return print_json(json);
}

}  // namespace heddle

// What was found as results of SARIF: where it is, in the scenario files, and in which order it
// happens.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/text.h"
#include "base/utf8.h"
#include "format/json/sarif.h"
#include "report/diagram/diagram.h"
#include "report/explore/explore_reports.h"
#include "report/schedule/finding_diagram.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

SarifPlace place_of_step(const Scenario& scenario, const Step& step) {
  // A text that is not UTF-8 cannot be quoted; what a call sends does not stand in the file.
  const std::optional<Call>& call = scenario.sessions[step.session.index()].call;
  const std::string text = call ? call->text.text : step.sql.text;
  SarifPlace place{printable(scenario.file), step.sql.position, is_utf8(text) ? text : ""};
  if (place.position.line == 0) place.position = step.position;
  return place;
}

// What happens in a row of the diagram, on one line.
std::string text_of_row(const DiagramRow& row) {
  std::vector<std::string> lines;
  for (const StyledLine& line : row.cells[row.active]) lines.push_back(line.text);
  return row.label + ": " + join(lines, " ");
}

const Step& step_of(const Finding& finding, const DiagramRow& row) {
  return finding.scenario.steps[finding.run.records[row.record].step.index()];
}

std::vector<SarifFlow> flows_of(const Finding& finding, const Diagram& diagram) {
  std::map<std::size_t, SarifFlow> flows;
  std::size_t order = 0;
  for (const DiagramRow& row : diagram.rows) {
    if (row.setup) continue;
    SarifFlow& flow = flows[row.active];
    flow.session = diagram.columns[row.active];
    flow.steps.push_back(
        {place_of_step(finding.scenario, step_of(finding, row)), text_of_row(row), ++order});
  }
  std::vector<SarifFlow> ordered;
  for (auto& [column, flow] : flows) ordered.push_back(std::move(flow));
  return ordered;
}

// The steps that make the anomaly; all that were run where these are not known.
std::vector<SarifStep> related_of(const Finding& finding, const Diagram& diagram) {
  std::vector<SarifStep> related;
  std::size_t order = 0;
  for (const DiagramRow& row : diagram.rows) {
    if (row.setup || row.resumes) continue;
    const Step& step = step_of(finding, row);
    const std::vector<std::string>& causes = finding.cause_steps;
    const bool involved =
        causes.empty() || std::find(causes.begin(), causes.end(), step.name) != causes.end();
    if (!involved) continue;
    const std::string session = printable(finding.scenario.sessions[step.session.index()].name);
    related.push_back({place_of_step(finding.scenario, step),
                       fmt::format("step {} of session {}", printable(step.name), session),
                       ++order});
  }
  return related;
}

// Where the run parts from every serial order, or else the first step that matters.
SarifPlace main_place(const Finding& finding, const std::vector<SarifStep>& related) {
  if (finding.wrong_step) {
    const StepId step = finding.run.records[*finding.wrong_step].step;
    return place_of_step(finding.scenario, finding.scenario.steps[step.index()]);
  }
  if (!related.empty()) return related.front().place;
  return {printable(finding.scenario.file), {}, ""};
}

std::string message_of(const Finding& finding) {
  std::string text =
      fmt::format("{} {}.", finding_title(finding), at_level(finding.isolation, finding.scenario));
  for (const std::string& line : broken_invariants(finding)) text += " " + line + ".";
  for (const std::string& line : explanation_paragraphs(finding)) text += " " + line;
  return text;
}

std::string joined_schedule(const Finding& finding) {
  return printable(to_string(finding.scenario, finding.schedule));
}

SarifResult result_of_finding(const Finding& finding) {
  const Diagram diagram = draw(finding);
  SarifResult result;
  result.kind = finding.kind;
  result.grave = finding.effect == Effect::internal;
  result.message = message_of(finding);
  result.related = related_of(finding, diagram);
  result.place = main_place(finding, result.related);
  result.flows = flows_of(finding, diagram);
  result.fingerprint = printable(finding.id);
  if (finding.suppressed) result.suppressed = printable(*finding.suppressed);
  result.properties = {{"store", printable(finding.store)},
                       {"isolation", level_text(finding.isolation, finding.scenario)},
                       {"effect", std::string(to_string(finding.effect))},
                       {"status", std::string(slug(finding.status))},
                       {"unit", std::string(to_string(finding.unit))},
                       {"schedule", joined_schedule(finding)}};
  return result;
}

SarifNotification notification_of(const Diagnostic& diagnostic, bool grave) {
  SarifNotification notification{grave, shown_message(diagnostic.what), {}};
  if (!diagnostic.what_to_do.empty()) {
    notification.message += ", " + shown_message(diagnostic.what_to_do);
  }
  notification.place = {printable(diagnostic.file), diagnostic.position, ""};
  return notification;
}

void add_scenario(const ExploredScenario& explored, SarifLog& log) {
  const std::string file = printable(explored.scenario.file);
  if (explored.trouble) {
    log.notifications.push_back(notification_of(*explored.trouble, true));
    log.notifications.back().place.file = file;
  }
  for (const Diagnostic& warning : explored.report.warnings) {
    log.notifications.push_back(notification_of(warning, false));
  }
  for (const LevelReport& level : explored.report.levels) {
    for (const Finding* finding : order_findings(level))
      log.results.push_back(result_of_finding(*finding));
    const bool cut_short = level.verdict == Verdict::unknown || !level.bound.empty();
    if (!cut_short) continue;
    log.notifications.push_back({false,
                                 level_head(level, explored.report, explored.scenario) + ". " +
                                     level_note(level, explored.scenario),
                                 {file, {}, ""}});
  }
}

}  // namespace

std::string render_sarif(std::span<const ExploredScenario> explored) {
  SarifLog log;
  for (const ExploredScenario& one : explored) add_scenario(one, log);
  return to_sarif(log);
}

}  // namespace heddle

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/diagram/diagram.h"
#include "report/explore/explore_reports.h"
#include "report/explore/repair_summary.h"
#include "report/schedule/finding_diagram.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string table_rule(std::size_t columns) {
  return markdown_row(std::vector<std::string>(columns, "---"));
}

std::string contrast_in_markdown(const Contrast& contrast) {
  std::string text = "\n" + markdown_row({markdown_text(contrast.where), ""}) + table_rule(2);
  text += markdown_row({"this run", "**" + markdown_text(contrast.observed) + "**"});
  for (const Contrast::Side& side : contrast.serial) {
    text += markdown_row({markdown_text(side.who), markdown_text(side.text)});
  }
  return text;
}

std::string finding_section(const Finding& finding) {
  std::string text = "\n" + render_diagram_markdown(draw(finding));
  for (const Contrast& contrast : contrasts(finding)) text += contrast_in_markdown(contrast);
  for (const std::string& line : broken_invariants(finding))
    text += "\n" + markdown_text(line) + "\n";
  for (const std::string& line : explanation_paragraphs(finding))
    text += "\n" + markdown_text(line) + "\n";
  text += "\n";
  for (const Fact& fact : finding_facts(finding)) {
    text += "- **" + fact.name + "**: " + markdown_text(fact.text) + "\n";
  }
  return text;
}

std::string matrix(const ExploreReport& report, const Scenario& scenario) {
  const LevelTable table = level_table(report, scenario);
  std::vector<std::string> header = {"anomalous interleavings"};
  for (const std::string& level : table.levels) header.push_back(markdown_text(level));
  std::string text = markdown_row(header) + table_rule(header.size());
  for (const LevelTable::Line& line : table.lines) {
    std::vector<std::string> cells = {markdown_text(line.name)};
    cells.insert(cells.end(), line.cells.begin(), line.cells.end());
    text += markdown_row(cells);
  }
  return "\n" + text;
}

std::string repair_section(const LevelReport& level, const Scenario& scenario) {
  const RepairSummary summary = summarize_repair(level, scenario);
  std::string text;
  if (!summary.head.empty()) text += "\n## " + markdown_text(summary.head) + "\n\n";
  for (const RepairSummary::Item& item : summary.items) {
    text += "1. " + markdown_text(join(item.changes, "; ") + " (" + item.cost + ")") + "\n";
  }
  for (const std::string& note : summary.notes) text += "\n" + markdown_text(note) + "\n";
  return text;
}

std::string level_section(const LevelReport& level, const ExploreReport& report,
                          const Scenario& scenario, std::map<std::string, std::string>& drawn) {
  std::string text = "\n" + markdown_text(level_head(level, report, scenario)) + ".\n";
  const std::string note = level_note(level, scenario);
  if (!note.empty()) text += "\n" + markdown_text(note) + "\n";
  for (const Finding* finding : order_findings(level)) {
    text += "\n## " + markdown_text(finding_heading(*finding)) + "\n";
    const auto [first, is_new] =
        drawn.emplace(cause_text(*finding), at_level(finding->isolation, finding->scenario));
    text += is_new ? finding_section(*finding)
                   : "\n" + markdown_text(as_elsewhere(*finding, first->second)) + "\n";
  }
  return text + repair_section(level, scenario);
}

}  // namespace

std::string render_markdown(const ExploreReport& report, const Scenario& scenario) {
  std::string text = "# " + markdown_text(printable(scenario.file)) + "\n";
  for (const Diagnostic& warning : report.warnings) {
    text += "\nWarning: " + markdown_text(printable(to_string(warning))) + "\n";
  }
  if (report.levels.size() > 1) text += matrix(report, scenario);
  std::map<std::string, std::string> drawn;
  for (const LevelReport& level : report.levels) {
    text += level_section(level, report, scenario, drawn);
  }
  return text;
}

std::string render_markdown(const WhyNotReport& report, const Scenario& scenario) {
  std::string text = "# " + markdown_text(printable(scenario.file)) + "\n";
  for (const ScheduleAnswer& answer : report.answers) {
    text += "\n## " + markdown_text(to_string(scenario, answer.asked)) + "\n\n" +
            render_diagram_markdown(draw(answer.finding)) + "\n";
    for (const Obstacle& obstacle : answer.obstacles) {
      text += "- " + markdown_text(printable(obstacle.sentence)) + "\n";
    }
    text += "\n" + markdown_text(printable(answer.conclusion)) + "\n";
    const std::string elsewhere = elsewhere_text(answer);
    if (!elsewhere.empty()) text += "\n" + markdown_text(elsewhere) + "\n";
  }
  return text;
}

std::string render_markdown(const Finding& finding) {
  return "# " + markdown_text(finding_heading(finding)) + "\n" + finding_section(finding);
}

}  // namespace heddle

// Races as Markdown, and as Mermaid's sequence diagrams.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/diagram/diagram.h"
#include "report/race/paper_table.h"
#include "report/race/replay_reports.h"
#include "report/race/replay_summary.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string rule_below(std::size_t columns) {
  return markdown_row(std::vector<std::string>(columns, "---"));
}

std::string row_of(const std::vector<std::string>& texts) {
  std::vector<std::string> cells;
  for (const std::string& text : texts) cells.push_back(markdown_text(text));
  return markdown_row(cells);
}

std::string differences_in_markdown(const RaceFinding& finding) {
  const std::vector<Contrast> all = contrasts(finding);
  if (all.empty()) return "";
  std::string text = "\n" + row_of({"", "this run", "A, then B", "B, then A"}) + rule_below(4);
  for (const Contrast& contrast : all) {
    text += markdown_row(
        {markdown_text(contrast.where), "**" + markdown_text(contrast.observed) + "**",
         markdown_text(contrast.serial[0].text), markdown_text(contrast.serial[1].text)});
  }
  return text;
}

// A fence that no line of the content can close.
std::string fenced(const std::string& language, const std::string& content) {
  std::string fence = "```";
  while (content.find(fence) != std::string::npos) fence += "`";
  return "\n" + fence + language + "\n" + content + fence + "\n";
}

std::string commands_in_markdown(const RaceFinding& finding) {
  std::string commands;
  for (const Fact& command : request_commands(finding)) {
    commands += "# " + command.name + "\n" + command.text + "\n";
  }
  return commands.empty() ? "" : fenced("sh", commands);
}

std::string race_section_in_markdown(const RaceFinding& finding, ShownSteps shown) {
  std::string text = "\n## " + markdown_text(race_title(finding)) + "\n";
  for (const std::string& line : explanation_paragraphs(finding)) {
    text += "\n" + markdown_text(line) + "\n";
  }
  if (!finding.steps.empty()) text += "\n" + render_diagram_markdown(draw(finding, shown));
  text += differences_in_markdown(finding);
  for (const std::string& line : broken_invariants(finding)) {
    text += "\n" + markdown_text(line) + "\n";
  }
  text += commands_in_markdown(finding) + "\n";
  for (const Fact& fact : racing_statements(finding)) {
    text += "- **step " + fact.name + "**: " + markdown_text(fact.text) + "\n";
  }
  for (const Fact& fact : race_facts(finding)) {
    text += "- **" + fact.name + "**: " + markdown_text(fact.text) + "\n";
  }
  return text;
}

std::string counts_in_markdown(const RaceReport& report) {
  std::string text = "\n" + row_of({"result", "candidates"}) + rule_below(2);
  for (const RaceCount& each : race_counts(report)) {
    text += row_of({std::string(each.name), std::to_string(each.count)});
  }
  return text;
}

std::vector<std::string> lines_of_contrast(const Contrast& contrast) {
  std::vector<std::string> lines = {contrast.where, "this run: " + contrast.observed};
  for (const Contrast::Side& side : contrast.serial) lines.push_back(side.who + ": " + side.text);
  return lines;
}

}  // namespace

std::string render_markdown(const RaceReport& report, ShownSteps shown) {
  const ListTable list = paper_table(report.table);
  std::string text = "# " + markdown_text(replay_head(report)) + "\n\n" + row_of(list.header) +
                     rule_below(list.header.size()) + row_of(list.rows[0].cells);
  text += "\n" + markdown_text(join(table_notes(report), "; ")) + "\n";
  for (const RaceFinding* finding : full_findings(report)) {
    text += race_section_in_markdown(*finding, shown);
  }
  for (const RaceGroup& group : race_groups(report)) {
    text += "\n## " + markdown_text(group.title) + "\n\n";
    for (const RaceFinding* finding : group.findings) {
      text += "- " + markdown_text(race_line(*finding)) + "\n";
    }
  }
  text += counts_in_markdown(report);
  for (const std::string& remark : replay_remarks(report)) {
    text += "\n" + markdown_text(remark) + "\n";
  }
  return text;
}

std::string render_mermaid(const RaceFinding& finding) {
  DiagramNotes notes{.title = race_title(finding), .above = "", .below = {}};
  for (const Contrast& contrast : contrasts(finding)) {
    notes.below.push_back(lines_of_contrast(contrast));
  }
  for (std::string& line : broken_invariants(finding)) notes.below.push_back({std::move(line)});
  return render_mermaid(draw(finding), notes);
}

std::string render_mermaid(const RaceReport& report) {
  const std::vector<const RaceFinding*> full = full_findings(report);
  if (full.empty()) {
    DiagramNotes notes{.title = printable(report.trace), .above = replay_head(report), .below = {}};
    return render_mermaid(Diagram{.columns = {}, .stores = {""}, .rows = {}}, notes);
  }
  if (full.size() == 1) return render_mermaid(*full[0]);
  std::string text;
  for (const RaceFinding* finding : full) {
    text += (text.empty() ? "## " : "\n## ") + markdown_text(race_title(*finding)) + "\n" +
            fenced("mermaid", render_mermaid(*finding));
  }
  return text;
}

}  // namespace heddle

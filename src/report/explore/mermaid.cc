// Findings as Mermaid's sequence diagrams, each with its title and what is wrong with it.

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/diagram/diagram.h"
#include "report/explore/explore_reports.h"
#include "report/schedule/finding_diagram.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string diagram_of_nothing(const ExploredScenario& explored) {
  DiagramNotes notes{.title = printable(explored.scenario.file), .above = "", .below = {}};
  for (std::string& line : nothing_to_draw(explored)) notes.below.push_back({std::move(line)});
  return render_mermaid(
      Diagram{.columns = {}, .stores = {printable(explored.report.store)}, .rows = {}}, notes);
}

std::vector<std::string> lines_of(const Contrast& contrast) {
  std::vector<std::string> lines = {contrast.where, "this run: " + contrast.observed};
  for (const Contrast::Side& side : contrast.serial) lines.push_back(side.who + ": " + side.text);
  return lines;
}

struct TitledDiagram {
  std::string title;
  std::string text;
};

std::vector<TitledDiagram> diagrams_of(const ExploredScenario& explored) {
  const std::string file = printable(explored.scenario.file);
  std::vector<TitledDiagram> diagrams;
  for (const Finding* finding : findings_to_draw(explored.report)) {
    diagrams.push_back({file + ": " + finding_heading(*finding), render_mermaid(*finding)});
  }
  if (diagrams.empty()) diagrams.push_back({file, diagram_of_nothing(explored)});
  return diagrams;
}

}  // namespace

std::string render_mermaid(const Finding& finding) {
  DiagramNotes notes{.title = finding_heading(finding),
                     .above = at_level(finding.isolation, finding.scenario),
                     .below = {}};
  for (const Contrast& contrast : contrasts(finding)) notes.below.push_back(lines_of(contrast));
  for (std::string& line : broken_invariants(finding)) notes.below.push_back({std::move(line)});
  return render_mermaid(draw(finding), notes);
}

std::string render_mermaid(std::span<const ExploredScenario> explored) {
  std::vector<TitledDiagram> diagrams;
  for (const ExploredScenario& one : explored) {
    for (TitledDiagram& diagram : diagrams_of(one)) diagrams.push_back(std::move(diagram));
  }
  if (diagrams.empty()) {
    return "sequenceDiagram\n  participant store\n  Note over store: nothing was explored\n";
  }
  if (diagrams.size() == 1) return diagrams[0].text;
  std::string text;
  for (const TitledDiagram& diagram : diagrams) {
    text += (text.empty() ? "## " : "\n## ") + markdown_text(diagram.title) + "\n\n";
    text += "```mermaid\n" + diagram.text + "```\n";
  }
  return text;
}

}  // namespace heddle

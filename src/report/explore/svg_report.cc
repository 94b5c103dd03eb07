#include "report/explore/svg_report.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/diagram/diagram.h"
#include "report/diagram/svg_page.h"
#include "report/explore/explore_reports.h"
#include "report/schedule/finding_diagram.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string description_of(const Finding& finding) {
  std::string text = "Schedule: " + printable(to_string(finding.scenario, finding.schedule)) + ".";
  for (const std::string& paragraph : explanation_paragraphs(finding)) text += "\n" + paragraph;
  return text;
}

std::vector<std::string> legend_of(const std::vector<ShownDependency>& dependencies) {
  std::vector<std::string> lines;
  for (const ShownDependency& dependency : dependencies) {
    lines.push_back(dependency.label + ": " + dependency.sentence);
  }
  return lines;
}

Drawing section_of(const Finding& finding) {
  const Diagram diagram = draw(finding);
  const std::vector<ShownDependency> dependencies = shown_dependencies(finding, diagram);
  const Drawing drawing = draw_schedule(diagram, dependencies);
  SvgStack stack(std::max(drawing.width, kNarrowestSvg));
  stack.add_title(finding_heading(finding));
  stack.add_text(
      fmt::format("{} on {} {}", printable(finding.scenario.file), printable(finding.store),
                  at_level(finding.isolation, finding.scenario)),
      "hd-faint");
  stack.add_space();
  stack.add(drawing);
  if (!dependencies.empty()) stack.add_space();
  for (const std::string& line : legend_of(dependencies)) stack.add_text(line, "hd-plain");
  const std::vector<std::string> paragraphs = explanation_paragraphs(finding);
  if (!paragraphs.empty()) stack.add_space();
  for (const std::string& line : paragraphs) stack.add_text(line, "hd-plain");
  for (const std::string& line : broken_invariants(finding)) stack.add_text(line, "hd-wrong");
  Drawing section = stack.take();
  section.markup = "<g>\n" + element("title", "", markup_text(finding_title(finding))) + "\n" +
                   element("desc", "", markup_text(description_of(finding))) + "\n" +
                   section.markup + "</g>\n";
  return section;
}

Drawing section_of_nothing(const ExploredScenario& explored) {
  SvgStack stack(kNarrowestSvg);
  stack.add_title(printable(explored.scenario.file));
  for (const std::string& line : nothing_to_draw(explored)) stack.add_text(line, "hd-plain");
  return stack.take();
}

}  // namespace

FindingPicture picture_of(const Finding& finding) {
  const Diagram diagram = draw(finding);
  const std::vector<ShownDependency> dependencies = shown_dependencies(finding, diagram);
  const Drawing drawing = draw_schedule(diagram, dependencies);
  constexpr int kEdge = 4;
  const std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-schedule\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"-{2} -{2} {0} {1}\" xml:space=\"preserve\">\n"
      "<title>{3}</title>\n<desc>{4}</desc>\n{5}</svg>\n",
      drawing.width + 2 * kEdge, drawing.height + 2 * kEdge, kEdge,
      markup_text(finding_title(finding)), markup_text(description_of(finding)), drawing.markup);
  return {svg, legend_of(dependencies)};
}

std::string render_svg(const Finding& finding) {
  return svg_document(finding_title(finding), {section_of(finding)});
}

std::string render_svg(std::span<const ExploredScenario> explored) {
  std::vector<Drawing> sections;
  std::string title;
  for (const ExploredScenario& one : explored) {
    const std::vector<const Finding*> findings = findings_to_draw(one.report);
    for (const Finding* finding : findings) {
      sections.push_back(section_of(*finding));
      title += (title.empty() ? "" : "; ") + finding_title(*finding);
    }
    if (findings.empty()) sections.push_back(section_of_nothing(one));
  }
  return svg_document(title.empty() ? "No anomaly" : title, sections);
}

}  // namespace heddle

// Races as SVG: the diagrams one under the other, and below them what has no diagram.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/diagram/svg_page.h"
#include "report/race/race_picture.h"
#include "report/race/replay_reports.h"
#include "report/race/replay_summary.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string description_of(const RaceFinding& finding) {
  std::string text = "Schedule: " + printable(finding.schedule) + ".";
  for (const std::string& line : explanation_paragraphs(finding)) text += "\n" + line;
  return text;
}

Drawing section_of_groups(const RaceReport& report) {
  SvgStack stack(kNarrowestSvg);
  stack.add_title(replay_head(report));
  for (const RaceGroup& group : race_groups(report)) {
    stack.add_space();
    stack.add_text(group.title, "hd-heading");
    for (const RaceFinding* finding : group.findings) {
      stack.add_text(race_line(*finding), "hd-plain");
    }
  }
  return stack.take();
}

}  // namespace

Drawing race_section(const RaceFinding& finding) {
  const Drawing drawing = draw_schedule(draw(finding), {});
  SvgStack stack(std::max(drawing.width, kNarrowestSvg));
  stack.add_title(race_title(finding));
  if (!finding.schedule.empty()) stack.add_text(printable(finding.schedule), "hd-faint");
  stack.add_space();
  stack.add(drawing);
  stack.add_space();
  for (const std::string& line : explanation_paragraphs(finding)) {
    stack.add_text(line, "hd-plain");
  }
  for (const std::string& line : broken_invariants(finding)) stack.add_text(line, "hd-wrong");
  Drawing section = stack.take();
  section.markup = "<g>\n" + element("title", "", markup_text(race_title(finding))) + "\n" +
                   element("desc", "", markup_text(description_of(finding))) + "\n" +
                   section.markup + "</g>\n";
  return section;
}

std::string race_picture(const RaceFinding& finding, const Diagram& diagram) {
  const Drawing drawing = draw_schedule(diagram, {});
  constexpr int kEdge = 4;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-schedule\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"-{2} -{2} {0} {1}\" xml:space=\"preserve\">\n"
      "<title>{3}</title>\n<desc>{4}</desc>\n{5}</svg>\n",
      drawing.width + 2 * kEdge, drawing.height + 2 * kEdge, kEdge,
      markup_text(race_title(finding)), markup_text(description_of(finding)), drawing.markup);
}

std::string render_svg(const RaceReport& report) {
  std::vector<Drawing> sections;
  for (const RaceFinding* finding : full_findings(report)) {
    sections.push_back(race_section(*finding));
  }
  sections.push_back(section_of_groups(report));
  return svg_document(replay_head(report), sections);
}

std::string render_svg(const RaceFinding& finding) {
  return svg_document(race_title(finding), {race_section(finding)});
}

}  // namespace heddle

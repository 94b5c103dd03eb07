#include "report/svg_report.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/diagram.h"
#include "report/layout.h"
#include "report/markup.h"
#include "report/report.h"
#include "report/shown_dependency.h"
#include "report/summary.h"
#include "report/svg_text.h"

namespace heddle {

namespace {

constexpr int kMargin = 24;
constexpr int kSpace = 12;
constexpr int kNarrowest = 640;
constexpr int kTitleLine = 24;

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

// Text and drawings one under the other.
class Stack {
 public:
  explicit Stack(int width) : width_(width) {}

  void add_title(const std::string& text) {
    for (const std::string& line : wrap(text, title_columns_within(width_))) {
      markup_ += svg_title_line(0, y_ + 17, line);
      y_ += kTitleLine;
    }
  }

  void add_text(const std::string& text, std::string_view css_class) {
    for (const std::string& line : wrap(text, columns_within(width_), 2)) {
      markup_ += svg_line(0, y_ + 13, css_class, line);
      y_ += kLineHeight;
    }
  }

  void add_space() { y_ += kSpace; }

  void add(const Drawing& drawing) {
    markup_ += fmt::format("<g transform=\"translate(0 {})\">\n{}</g>\n", y_, drawing.markup);
    y_ += drawing.height;
  }

  Drawing take() { return {width_, y_, std::move(markup_)}; }

 private:
  int width_;
  int y_ = 0;
  std::string markup_;
};

Drawing section_of(const Finding& finding) {
  const Diagram diagram = draw(finding);
  const std::vector<ShownDependency> dependencies = shown_dependencies(finding, diagram);
  const Drawing drawing = draw_schedule(diagram, dependencies);
  Stack stack(std::max(drawing.width, kNarrowest));
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
  Stack stack(kNarrowest);
  stack.add_title(printable(explored.scenario.file));
  for (const std::string& line : nothing_to_draw(explored)) stack.add_text(line, "hd-plain");
  return stack.take();
}

std::string document(const std::string& title, const std::vector<Drawing>& sections) {
  int width = kNarrowest;
  int y = kMargin;
  std::string body;
  for (const Drawing& section : sections) {
    width = std::max(width, section.width);
    body += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", kMargin, y, section.markup);
    y += section.height + 2 * kMargin;
  }
  width += 2 * kMargin;
  const int height = sections.empty() ? 2 * kMargin : y - kMargin;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-schedule\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" xml:space=\"preserve\">\n"
      "<title>{2}</title>\n<style>\n{3}</style>\n"
      "<rect class=\"hd-page\" width=\"{0}\" height=\"{1}\"/>\n{4}</svg>\n",
      width, height, markup_text(title), svg_style(), body);
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
  return document(finding_title(finding), {section_of(finding)});
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
  return document(title.empty() ? "No anomaly" : title, sections);
}

}  // namespace heddle

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/printable.h"
#include "report/diagram/schedule_drawing.h"
#include "report/diagram/svg_page.h"
#include "report/sched/sched_diagram.h"
#include "report/sched/sched_picture.h"
#include "report/sched/sched_reports.h"
#include "report/sched/sched_summary.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string described(const SchedFinding& finding, const std::string& markup) {
  std::string why;
  for (const std::string& line : why_lines(finding)) why += (why.empty() ? "" : "\n") + line;
  return element("title", "", markup_text(printable(sched_title(finding)))) + "\n" +
         element("desc", "", markup_text(why)) + "\n" + markup;
}

}  // namespace

std::string sched_picture(const SchedFinding& finding) {
  const SchedDiagram drawn = draw(finding);
  const Drawing drawing = draw_schedule(drawn.diagram, drawn.arrows);
  constexpr int kEdge = 4;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-schedule\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"-{2} -{2} {0} {1}\" xml:space=\"preserve\">\n"
      "{3}</svg>\n",
      drawing.width + 2 * kEdge, drawing.height + 2 * kEdge, kEdge,
      described(finding, drawing.markup));
}

std::string render_svg(const SchedFinding& finding) {
  const std::string title = printable(sched_title(finding));
  const SchedDiagram drawn = draw(finding);
  const Drawing drawing = draw_schedule(drawn.diagram, drawn.arrows);
  SvgStack stack(std::max(drawing.width, kNarrowestSvg));
  stack.add_title(title);
  stack.add_text(printable(finding.test), "hd-faint");
  for (const std::string& line : finding.waiting) stack.add_text(printable(line), "hd-stalled");
  stack.add_space();
  stack.add(drawing);
  stack.add_space();
  for (const std::string& line : why_lines(finding)) stack.add_text(printable(line), "hd-plain");
  stack.add_text(found_text(finding), "hd-faint");
  stack.add_text(printable(finding.again), "hd-faint");
  Drawing section = stack.take();
  section.markup = element("g", "", "\n" + described(finding, section.markup)) + "\n";
  return svg_document(title, {section});
}

}  // namespace heddle

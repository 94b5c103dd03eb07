// The graph of a cut as a document of its own, and as a part of a page.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "report/diagram/svg_page.h"
#include "report/split/graph_drawing.h"
#include "report/split/split_counts.h"
#include "report/split/split_picture.h"
#include "report/split/split_reports.h"
#include "report/split/split_words.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

void add_graph(const ServiceGraph& graph, int width, const Drawing& drawing, SvgStack& stack) {
  Drawing centered = drawing;
  centered.markup = fmt::format("<g transform=\"translate({} 0)\">\n{}</g>\n",
                                (width - drawing.width) / 2, drawing.markup);
  stack.add(centered);
  stack.add_space();
  stack.add(draw_graph_legend(graph, width));
}

std::string in_group(const ServiceGraph& graph, const std::string& title,
                     const std::string& markup) {
  return "<g>\n" + element("title", "", markup_text(title)) + "\n" +
         element("desc", "", markup_text(graph_description(graph))) + "\n" + markup + "</g>\n";
}

}  // namespace

std::string picture_of(const SplitReport& report) {
  const ServiceGraph graph = service_graph(report);
  const Drawing drawing = draw_graph(graph);
  const int width = std::max(drawing.width, kNarrowestSvg);
  SvgStack stack(width);
  add_graph(graph, width, drawing, stack);
  const Drawing all = stack.take();
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hd-schedule\" role=\"img\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" xml:space=\"preserve\">\n{2}</svg>\n",
      all.width, all.height, in_group(graph, report.cut.file, all.markup));
}

std::string render_svg(const SplitReport& report) {
  const ServiceGraph graph = service_graph(report);
  const Drawing drawing = draw_graph(graph);
  const SplitWords words(report);
  const int width = std::max(drawing.width, kNarrowestSvg);
  SvgStack stack(width);
  stack.add_title(printable(words.head()));
  for (const std::string& line : words.summary(count_causes(report))) {
    stack.add_text(printable(line), "hd-faint");
  }
  stack.add_space();
  add_graph(graph, width, drawing, stack);
  Drawing section = stack.take();
  section.markup = in_group(graph, words.head(), section.markup);
  return svg_document(words.head(), {section}, graph_style());
}

}  // namespace heddle

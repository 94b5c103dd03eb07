#include "report/split/graph_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/split/ring_layout.h"
#include "report/text/layout.h"
#include "report/text/markup.h"
#include "report/text/svg_text.h"

namespace heddle {

namespace {

constexpr int kBoxPadding = 10;
constexpr int kBadgeSpace = 8;
constexpr int kBadgeHeight = 18;
constexpr int kBoxHeight = 2 * kLineHeight + 10;
constexpr int kPictureEdge = 6;
constexpr int kSwatch = 14;
constexpr std::size_t kWidestName = 26;  // of a name in a box
constexpr double kThinnest = 1.5;
constexpr double kThickest = 7;
constexpr double kThickestWithin = 2.5;

struct ServiceColor {
  std::string_view light;
  std::string_view dark;
};

// Strokes after Okabe and Ito, which most people tell apart however they see colours.
constexpr std::array<ServiceColor, 8> kServiceColors = {{
    {"fill:#dbeafa;stroke:#0072b2", "fill:#0f2a3d;stroke:#56a8e0"},
    {"fill:#fdf0d5;stroke:#e69f00", "fill:#3a2b08;stroke:#e69f00"},
    {"fill:#d6f2e9;stroke:#009e73", "fill:#0b3227;stroke:#2fc49a"},
    {"fill:#fbe3d3;stroke:#d55e00", "fill:#3b1c0a;stroke:#f08a42"},
    {"fill:#f8e6f0;stroke:#cc79a7", "fill:#381f2d;stroke:#dd9abf"},
    {"fill:#e3f4fd;stroke:#56b4e9", "fill:#12303f;stroke:#7cc8f2"},
    {"fill:#fcf9d0;stroke:#b5a800", "fill:#35320c;stroke:#f0e442"},
    {"fill:#e9e9e9;stroke:#4d4d4d", "fill:#2e2e2e;stroke:#bdbdbd"},
}};

// Services beyond the colours have the same ones with other strokes.
constexpr std::array<std::string_view, 3> kDashes = {"", "7 3", "2 3"};

std::string look_of(std::size_t service) {
  const std::string_view dashes = kDashes[service / kServiceColors.size() % kDashes.size()];
  return attribute("class",
                   fmt::format("hd-service hd-service-{}", service % kServiceColors.size())) +
         (dashes.empty() ? "" : attribute("stroke-dasharray", dashes));
}

std::string numbers(const CauseCount& count) {
  return fmt::format("{} / {}", count.cores, count.all);
}

std::string cores_of_causes(const CauseCount& count) {
  return fmt::format("{} of {} {}", count.cores, count.all, count.all == 1 ? "cause" : "causes") +
         (count.cores == 1 ? " is a core" : " are cores");
}

std::string shown_name(const std::string& name) { return shorten(printable(name), kWidestName); }

std::string sentence_of(const ServiceGraph& graph, const ServiceGraph::Edge& edge) {
  return fmt::format("{} and {}: {}", graph.nodes[edge.from].table, graph.nodes[edge.to].table,
                     cores_of_causes(edge.count));
}

std::string sentence_of(const ServiceGraph& graph, const ServiceGraph::Node& node) {
  return fmt::format("{} of {}{}", node.table, graph.services[node.service],
                     node.alone.all > 0 ? ", alone: " + cores_of_causes(node.alone) : "");
}

RingBox box_of(const ServiceGraph& graph, const ServiceGraph::Node& node) {
  int first = text_width(shown_name(node.table));
  if (node.alone.all > 0) first += kBadgeSpace + badge_width(numbers(node.alone));
  const int second = text_width(shown_name(graph.services[node.service]));
  return {.width = std::max(first, second) + 2 * kBoxPadding,
          .height = kBoxHeight,
          .group = node.service};
}

std::string badge(const Area& area, const std::string& text) {
  return fmt::format(
             "<rect class=\"hd-badge\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" "
             "height=\"{:.0f}\" rx=\"9\"/>\n",
             area.left, area.top, area.width, area.height) +
         svg_badge_text(static_cast<int>(std::lround(area.middle().x)),
                        static_cast<int>(std::lround(area.top)) + 13, text);
}

class GraphPainter {
 public:
  explicit GraphPainter(const ServiceGraph& graph) : graph_(graph) {
    std::vector<RingBox> boxes;
    std::vector<RingLine> lines;
    for (const ServiceGraph::Node& node : graph.nodes) boxes.push_back(box_of(graph, node));
    for (const ServiceGraph::Edge& edge : graph.edges) {
      lines.push_back({.from = edge.from,
                       .to = edge.to,
                       .label_width = badge_width(numbers(edge.count)),
                       .label_height = kBadgeHeight});
      std::size_t& most = graph.is_within_a_service(edge) ? most_within_ : most_;
      most = std::max(most, edge.count.all);
    }
    layout_ = lay_out_ring(boxes, lines);
  }

  Drawing paint() {
    if (graph_.nodes.empty()) return {};
    for (std::size_t i = 0; i + 1 < graph_.nodes.size(); ++i) paint_string(i);
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) paint_line(i);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) paint_box(i);
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) paint_label(i);
    const Area all = bounds();
    const int left = static_cast<int>(std::floor(all.left)) - kPictureEdge;
    const int top = static_cast<int>(std::floor(all.top)) - kPictureEdge;
    return {.width = static_cast<int>(std::ceil(all.right())) + kPictureEdge - left,
            .height = static_cast<int>(std::ceil(all.bottom())) + kPictureEdge - top,
            .markup =
                fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", -left, -top, markup_)};
  }

 private:
  // Holds boxes of one service together.
  void paint_string(std::size_t i) {
    if (graph_.nodes[i].service != graph_.nodes[i + 1].service) return;
    const Point from = layout_.boxes[i].middle();
    const Point to = layout_.boxes[i + 1].middle();
    markup_ += fmt::format(
        "<line{} x1=\"{:.0f}\" y1=\"{:.0f}\" x2=\"{:.0f}\" y2=\"{:.0f}\"/>\n",
        attribute("class", fmt::format("hd-string hd-service-{}",
                                       graph_.nodes[i].service % kServiceColors.size())),
        from.x, from.y, to.x, to.y);
  }

  void paint_line(std::size_t i) {
    const ServiceGraph::Edge& edge = graph_.edges[i];
    const bool within = graph_.is_within_a_service(edge);
    const double part = std::sqrt(static_cast<double>(edge.count.all) /
                                  static_cast<double>(within ? most_within_ : most_));
    const double width = kThinnest + part * ((within ? kThickestWithin : kThickest) - kThinnest);
    const Curve& curve = layout_.lines[i];
    std::string css_class = within ? "hd-line hd-line-within" : "hd-line";
    if (edge.count.cores == 0) css_class += " hd-line-extension";
    markup_ += element(
        "path",
        attribute("class", css_class) +
            fmt::format(" d=\"M{:.0f} {:.0f}Q{:.0f} {:.0f} {:.0f} {:.0f}\" stroke-width=\"{:.1f}\"",
                        curve.from.x, curve.from.y, curve.bend.x, curve.bend.y, curve.to.x,
                        curve.to.y, width),
        element("title", "", markup_text(sentence_of(graph_, edge))));
    markup_ += '\n';
  }

  void paint_box(std::size_t i) {
    const ServiceGraph::Node& node = graph_.nodes[i];
    const Area& area = layout_.boxes[i];
    const int left = static_cast<int>(std::lround(area.left));
    const int top = static_cast<int>(std::lround(area.top));
    markup_ += "<g>\n" + element("title", "", markup_text(sentence_of(graph_, node))) + "\n";
    markup_ +=
        fmt::format("<rect{} x=\"{}\" y=\"{}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"7\"/>\n",
                    look_of(node.service), left, top, area.width, area.height);
    const std::string name = shown_name(node.table);
    markup_ += svg_line(left + kBoxPadding, top + 19, "hd-heading", name);
    markup_ += svg_line(left + kBoxPadding, top + 37, "hd-faint",
                        shown_name(graph_.services[node.service]));
    if (node.alone.all > 0) {
      const std::string text = numbers(node.alone);
      markup_ += badge(
          {static_cast<double>(left + kBoxPadding + text_width(name) + kBadgeSpace),
           static_cast<double>(top + 6), static_cast<double>(badge_width(text)), kBadgeHeight},
          text);
    }
    markup_ += "</g>\n";
  }

  void paint_label(std::size_t i) {
    const std::string label = badge(layout_.labels[i], numbers(graph_.edges[i].count));
    markup_ += graph_.is_within_a_service(graph_.edges[i])
                   ? element("g", attribute("class", "hd-within"), "\n" + label) + "\n"
                   : label;
  }

  Area bounds() const {
    Area all = layout_.boxes.front();
    const auto take_in = [&all](const Area& area) {
      const double right = std::max(all.right(), area.right());
      const double bottom = std::max(all.bottom(), area.bottom());
      all.left = std::min(all.left, area.left);
      all.top = std::min(all.top, area.top);
      all.width = right - all.left;
      all.height = bottom - all.top;
    };
    for (const Area& area : layout_.boxes) take_in(area);
    for (const Area& area : layout_.labels) take_in(area);
    return all;
  }

  const ServiceGraph& graph_;
  RingLayout layout_;
  std::size_t most_ = 1;
  std::size_t most_within_ = 1;
  std::string markup_;
};

std::vector<std::string> meanings(const ServiceGraph& graph) {
  const bool has_alone =
      std::ranges::any_of(graph.nodes, [](const auto& node) { return node.alone.all > 0; });
  if (graph.edges.empty()) {
    if (!has_alone) return {};
    return {"3 / 7: three cores among seven causes on that table alone."};
  }
  return {"3 / 7: three cores among seven causes that join the two tables" +
              std::string(has_alone ? ", or are on that one alone." : "."),
          "Wide: many causes. Dashed: extensions alone. Grey: within one service."};
}

std::string rules_of(std::string_view lines, std::string_view within, std::string_view within_text,
                     std::string_view within_badge) {
  return fmt::format(
      ".hd-line{{stroke:{};fill:none;stroke-opacity:.6;stroke-linecap:round}}\n"
      ".hd-line-within{{stroke:{};stroke-opacity:.9}}\n"
      ".hd-schedule .hd-within text.hd-label{{fill:{}}}\n"
      ".hd-within .hd-badge{{{}}}\n",
      lines, within, within_text, within_badge);
}

}  // namespace

Drawing draw_graph(const ServiceGraph& graph) { return GraphPainter(graph).paint(); }

Drawing draw_graph_legend(const ServiceGraph& graph, int width) {
  std::string markup;
  int y = 0;
  const auto add = [&](const std::string& text, int left, std::string_view css_class) {
    for (const std::string& line : wrap(printable(text), columns_within(width - left), 2)) {
      markup += svg_line(left, y + 13, css_class, line);
      y += kLineHeight;
    }
  };
  for (std::size_t i = 0; i < graph.services.size(); ++i) {
    std::vector<std::string> tables;
    for (const ServiceGraph::Node& node : graph.nodes) {
      if (node.service == i) tables.push_back(node.table);
    }
    markup += fmt::format("<rect{} x=\"1\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>\n",
                          look_of(i), y + 2, kSwatch, kSwatch);
    add(graph.services[i] + ": " + join(tables, ", "), kSwatch + 10, "hd-plain");
    y += 2;
  }
  for (const std::string& line : meanings(graph)) add(line, 0, "hd-faint");
  return {.width = width, .height = y, .markup = markup};
}

std::string graph_description(const ServiceGraph& graph) {
  std::string text;
  for (const ServiceGraph::Node& node : graph.nodes) text += sentence_of(graph, node) + ".\n";
  for (const ServiceGraph::Edge& edge : graph.edges) text += sentence_of(graph, edge) + ".\n";
  return text;
}

std::string graph_style() {
  std::string rules = rules_of("#7b2cbf", "#aab2ba", "#59636e", "fill:#f6f8fa;stroke:#aab2ba");
  rules +=
      ".hd-line-extension{stroke-dasharray:6 5;stroke-linecap:butt}\n.hd-service{stroke-width:2}\n";
  for (std::size_t i = 0; i < kServiceColors.size(); ++i) {
    rules += fmt::format(".hd-service-{}{{{}}}\n", i, kServiceColors[i].light);
  }
  return rules + ".hd-string{stroke-width:10;stroke-opacity:.45;stroke-linecap:round}\n";
}

std::string graph_dark_style() {
  std::string rules = rules_of("#c792ea", "#6e7681", "#9198a1", "fill:#262c36;stroke:#6e7681");
  for (std::size_t i = 0; i < kServiceColors.size(); ++i) {
    rules += fmt::format(".hd-service-{}{{{}}}\n", i, kServiceColors[i].dark);
  }
  return rules;
}

}  // namespace heddle

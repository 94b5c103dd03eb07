// What a cut adds as text, SVG and HTML, and where the graph's boxes and labels go.

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/sample_finding_testing.h"
#include "heddle/split.h"
#include "report/explore/sample_reports_testing.h"
#include "report/split/graph_drawing.h"
#include "report/split/ring_layout.h"
#include "report/split/service_graph.h"
#include "report/split/split_counts.h"
#include "report/split/split_reports.h"

namespace heddle {
namespace {

using sample::expect_golden;
using testing::HasSubstr;
using testing::Not;

SplitReport split(const std::string& sql, const std::string& cut) {
  const Result<Program> program = parse_program({{"p.sql", sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  const Result<Cut> read = parse_cut(cut, "cut.json");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  Result<SplitReport> report = split_program(*program, *read, {});
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  return report ? std::move(*report) : SplitReport{};
}

// A functionality that writes each of the tables, of which the later ones refer to the first.
std::string writer_of(const std::vector<std::string>& tables) {
  std::string sql;
  std::string body;
  for (const std::string& table : tables) {
    sql += "CREATE TABLE " + table + " (id int PRIMARY KEY, n int NOT NULL" +
           (sql.empty() ? "" : ", FOREIGN KEY (n) REFERENCES " + tables.front()) + ");\n";
    body += "UPDATE " + table + " SET n = v WHERE id = a;\n";
  }
  return sql + "CREATE PROCEDURE save(a int, v int) LANGUAGE plpgsql AS $$\nBEGIN\n" + body +
         "END\n$$;\n";
}

SplitReport split_bank() {
  return split(writer_of({"account", "wallet", "log"}),
               R"({"money": ["account", "log"], "app": ["wallet"]})");
}

TEST(SplitReports, show_the_cut_the_graph_and_the_counts) {
  SplitReport report = split_bank();
  ASSERT_FALSE(report.causes.empty());
  report.causes.front().execution = FoundExecution{.status = FindingStatus::confirmed,
                                                   .reason = "",
                                                   .was_run = true,
                                                   .finding = sample::lost_update()};
  expect_golden("split.txt", render_text(report, TextOptions{}));
  expect_golden("split.svg", render_svg(report));
  expect_golden("split.html", render_html(report));
}

TEST(SplitReports, name_foreign_keys_between_services) {
  const std::string text = render_text(split_bank(), TextOptions{});
  EXPECT_THAT(text, HasSubstr("foreign keys between services, which nobody checks any more:\n"
                              "  wallet (n) of app refers to account (id) of money\n"));
  EXPECT_THAT(render_html(split_bank()),
              HasSubstr("<li>wallet (n) of app refers to account (id) of money</li>"));
}

TEST(SplitReports, escape_names) {
  const std::string odd = R"("a<b&""c'" )";
  const std::string wide = "\"" + std::string(60, 'w') + "\"";
  const SplitReport report = split(
      writer_of({odd, wide, "\"漢字 table\""}),
      R"({"<S> & \"é\" '": ["a<b&\"c'"], "long service name that goes on and on and on": [")" +
          std::string(60, 'w') + R"("], "漢字": ["漢字 table"]})");
  expect_golden("split_names.svg", render_svg(report));
  EXPECT_THAT(render_svg(report), Not(HasSubstr("a<b")));
  EXPECT_THAT(render_html(report), Not(HasSubstr("a<b")));
  EXPECT_THAT(render_html(report), HasSubstr("&lt;S&gt; &amp; &quot;é&quot; &#39;"));
}

TEST(SplitReports, of_one_table_have_one_box) {
  const SplitReport report = split("CREATE TABLE t (id int PRIMARY KEY);\n", R"({"S": ["t"]})");
  const std::string svg = render_svg(report);
  EXPECT_THAT(svg, HasSubstr("the cut adds nothing"));
  EXPECT_THAT(svg, Not(HasSubstr("3 / 7")));
  expect_golden("split_one.svg", svg);
  EXPECT_THAT(render_html(report), Not(HasSubstr("Cores")));
}

TEST(SplitCounts, are_of_kinds_tables_and_functionalities) {
  const SplitReport report = split_bank();
  const SplitCounts counts = count_causes(report);
  EXPECT_EQ(counts.total.all, report.causes.size());
  ASSERT_EQ(counts.tables.size(), 3U);
  for (const CauseCounts& by : counts.tables) {
    std::size_t cores = 0;
    std::size_t all = 0;
    for (const auto& [name, count] : by.counts) {
      cores += count.cores;
      all += count.all;
    }
    EXPECT_EQ(cores, counts.total.cores) << by.by;
    EXPECT_EQ(all, counts.total.all) << by.by;
  }
}

// A cycle whose edges are on these tables.
FoundCycle cycle_on(const std::vector<std::string>& tables) {
  FoundCycle cycle;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    cycle.edges.push_back(
        {.from = i, .to = (i + 1) % tables.size(), .table = tables[i], .columns = {}});
  }
  return cycle;
}

TEST(ServiceGraphs, join_the_tables_that_follow_each_other_in_a_cycle) {
  SplitReport report;
  report.cut.services = {{.name = "S", .position = {}, .tables = {{"a", {}}, {"b", {}}}},
                         {.name = "T", .position = {}, .tables = {{"c", {}}, {"d", {}}}}};
  report.causes.push_back(
      {.parts = {}, .tables = {"a", "b", "c", "d"}, .cycles = {cycle_on({"a", "b", "c", "d"})}});
  report.causes.push_back(
      {.parts = {}, .tables = {"a", "b"}, .cycles = {cycle_on({"a", "b"})}, .is_core = false});
  report.causes.push_back({.parts = {}, .tables = {"d"}, .cycles = {cycle_on({"d", "d"})}});
  const ServiceGraph graph = service_graph(report);
  std::vector<std::string> edges;
  for (const ServiceGraph::Edge& edge : graph.edges) {
    edges.push_back(graph.nodes[edge.from].table + graph.nodes[edge.to].table + " " +
                    std::to_string(edge.count.cores) + "/" + std::to_string(edge.count.all) +
                    (graph.is_within_a_service(edge) ? " within" : ""));
  }
  EXPECT_THAT(edges, testing::ElementsAre("ab 1/2 within", "ad 1/1", "bc 1/1", "cd 1/1 within"));
  EXPECT_EQ(graph.nodes[3].alone.all, 1U);
  EXPECT_EQ(graph.nodes[0].alone.all, 0U);
}

void expect_no_overlap(const RingLayout& layout) {
  std::vector<Area> areas = layout.boxes;
  areas.insert(areas.end(), layout.labels.begin(), layout.labels.end());
  for (std::size_t i = 0; i < areas.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(areas[i], areas[j])) << i << " " << j;
  }
}

// Lines pass under the boxes that they join, and under no other.
void expect_free_lines(const RingLayout& layout, const std::vector<RingLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (int step = 0; step <= 100; ++step) {
      const Point point = layout.lines[i].at(step / 100.0);
      for (std::size_t box = 0; box < layout.boxes.size(); ++box) {
        if (box == lines[i].from || box == lines[i].to) continue;
        EXPECT_FALSE(overlap({point.x, point.y, 0, 0}, layout.boxes[box])) << i << " " << box;
      }
    }
  }
}

TEST(RingLayouts, have_room_for_every_box_and_label) {
  for (const std::size_t size : {1U, 2U, 3U, 7U, 15U, 40U}) {
    for (const std::size_t services : {1U, 3U, 9U}) {
      std::vector<RingBox> boxes;
      std::vector<RingLine> lines;
      for (std::size_t i = 0; i < size; ++i) {
        const int width = 60 + static_cast<int>(i * 53 % 150);
        boxes.push_back({.width = width, .height = 46, .group = i * services / size});
        for (std::size_t j = 0; j < i; ++j) {
          if (size > 15 && (i * 7 + j * 3) % 9 != 0) continue;
          lines.push_back({.from = j, .to = i, .label_width = 58, .label_height = 18});
        }
      }
      const RingLayout layout = lay_out_ring(boxes, lines);
      ASSERT_EQ(layout.boxes.size(), size);
      ASSERT_EQ(layout.labels.size(), lines.size());
      expect_no_overlap(layout);
      expect_free_lines(layout, lines);
      EXPECT_LT(layout.radius, 1500) << size;
    }
  }
}

TEST(GraphDrawings, of_more_services_than_colours_differ_in_their_strokes) {
  ServiceGraph graph;
  for (std::size_t i = 0; i < 40; ++i) {
    graph.services.push_back("service " + std::to_string(i / 2));
    graph.nodes.push_back({.table = "table_" + std::to_string(i), .service = i, .alone = {}});
    for (std::size_t j = 0; j < i; ++j) {
      if ((i * 5 + j * 3) % 8 == 0) graph.edges.push_back({j, i, {i % 3, i + j}});
    }
  }
  const Drawing drawing = draw_graph(graph);
  EXPECT_THAT(drawing.markup, HasSubstr("stroke-dasharray=\"7 3\""));
  EXPECT_THAT(drawing.markup, HasSubstr("stroke-dasharray=\"2 3\""));
  EXPECT_LT(drawing.width, 3000);
}

}  // namespace
}  // namespace heddle

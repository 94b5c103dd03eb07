// Mermaid, SVG and HTML: the same findings as in report_test.cc, and texts of any bytes.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "base/utf8.h"
#include "format/random_finding_testing.h"
#include "report/diagram/arrow_routes.h"
#include "report/diagram/schedule_drawing.h"
#include "report/explore/explore_reports.h"
#include "report/explore/sample_reports_testing.h"
#include "report/text/markup.h"

namespace heddle {
namespace {

using sample::expect_golden;
using sample::explored;
using sample::level;

ExploredScenario lost_update_explored() {
  const Finding finding = sample::lost_update();
  return {finding.scenario, explored({level(std::nullopt, {finding}, 0)}), std::nullopt};
}

ExploredScenario nothing_explored() {
  Scenario scenario = sample::lost_update().scenario;
  scenario.file = "quiet.spec";
  return {scenario, explored({level(IsolationLevel::serializable, {}, 8)}), std::nullopt};
}

ExploredScenario trouble_explored() {
  Scenario scenario = sample::lost_update().scenario;
  scenario.file = "broken.spec";
  return {scenario, {}, Diagnostic{.what = "setup fails: <syntax> & \"error\"; #1"}};
}

std::vector<ExploredScenario> everything_drawn() {
  const Finding finding = sample::lost_update();
  return {lost_update_explored(),
          {finding.scenario,
           explored({level(IsolationLevel::read_committed, {finding, sample::write_skew()}, 0),
                     level(IsolationLevel::snapshot, {sample::write_skew()}, 4)}),
           std::nullopt},
          nothing_explored(),
          trouble_explored()};
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Markup, leaves_nothing_that_means_something_or_is_no_character) {
  EXPECT_EQ(markup_text("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(markup_text("\x01\x1b\n\t\r"), "\\x01\\x1b\n\t\\r");
  EXPECT_EQ(markup_text("\xff\xc3 \xef\xbf\xbe\xef\xbf\xbf 漢😀"),
            "\\xff\\xc3 \\ufffe\\uffff 漢😀");
  EXPECT_EQ(markup_text(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(element("a", attribute("href", "\"<"), "x"), "<a href=\"&quot;&lt;\">x</a>");
}

TEST(Mermaid, draws_waits_errors_and_what_differs) {
  expect_golden("lost_update.mmd", render_mermaid(sample::lost_update()));
  expect_golden("three_sessions.mmd", render_mermaid(sample::three_sessions()));
}

TEST(Mermaid, the_example_in_the_documents_is_what_heddle_writes) {
  std::ifstream file(source_tree() / "docs" / "formats" / "diagrams.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string example = "```mermaid\n" + render_mermaid(sample::lost_update()) + "```\n";
  EXPECT_NE(page.str().find(example), std::string::npos) << example;
}

TEST(Mermaid, one_diagram_is_a_document_and_several_are_a_page) {
  const std::string one = render_mermaid(std::vector{lost_update_explored()});
  EXPECT_EQ(one.rfind("sequenceDiagram\n", 0), 0U);
  EXPECT_EQ(one.find("```"), std::string::npos);
  const std::string page = render_mermaid(everything_drawn());
  EXPECT_EQ(count(page, "```mermaid\nsequenceDiagram\n"), 5U);
  expect_golden("everything.mmd.md.txt", page);
}

TEST(Mermaid, says_that_there_is_nothing) {
  EXPECT_EQ(render_mermaid(std::vector{nothing_explored()}),
            "sequenceDiagram\n  title quiet.spec\n"
            "  participant store as PostgreSQL 15.4 (throwaway)\n"
            "  Note over store: No anomaly in any of the 20 interleavings at serializable#59; "
            "the store<br/>aborted a session in 8 of them.\n");
  EXPECT_EQ(render_mermaid(std::vector<ExploredScenario>{}),
            "sequenceDiagram\n  participant store\n  Note over store: nothing was explored\n");
}

// What ends a statement, begins a code or a directive, and the colon after "wrap".
TEST(Mermaid, escapes_what_has_a_meaning) {
  sample::RunNotes notes(sample::parse(
      "session \"a;b#c\" step \"wrap\" { SELECT ';', '#', '<b>', \"q\", 1::int; }", "x.spec"));
  notes.done("wrap", {sample::rows({"a"}, {{"line\nbreak; %%{init}%%"}})});
  const std::string text = render_mermaid(notes.finding());
  EXPECT_NE(text.find("participant p1 as a#59;b#35;c\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("p1->>store: wrap#58; SELECT #39;#59;#39;, #39;#35;#39;, #39;#60;b#62;#39;, "),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("#34;q#34;, 1#58;#58;int"), std::string::npos) << text;
  EXPECT_NE(text.find("store-->>p1: → a = line#92;nbreak#59; #37;#37;#123;init#125;#37;#37;\n"),
            std::string::npos)
      << text;
}

TEST(Svg, draws_the_schedule_with_its_arrows) {
  const std::string svg = render_svg(sample::lost_update());
  EXPECT_EQ(count(svg, "class=\"hd-arrow\""), 2U);
  EXPECT_EQ(count(svg, "class=\"hd-bar\""), 1U);
  expect_golden("lost_update.svg", svg);
  expect_golden("three_sessions.svg", render_svg(sample::three_sessions()));
}

TEST(Svg, puts_all_that_was_found_into_one_document) {
  const std::string svg = render_svg(everything_drawn());
  EXPECT_EQ(count(svg, "<svg "), 1U);
  EXPECT_EQ(count(svg, "<desc>"), 3U);  // each cause once
  EXPECT_NE(svg.find("Not explored:"), std::string::npos);
  EXPECT_EQ(render_svg(std::vector<ExploredScenario>{}).find("<svg "), 39U);
}

TEST(Html, is_one_page_with_everything) {
  const std::string html = render_html(everything_drawn());
  EXPECT_EQ(count(html, "<!DOCTYPE html>"), 1U);
  EXPECT_EQ(count(html, "<svg "), 3U);
  for (const char* outside : {"<script", "http-equiv", "src=", "@import", "url("}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
  expect_golden("everything.html", html);
}

// Two boxes of one column, neighbours, and columns that others lie between.
TEST(ArrowRoutes, give_each_arrow_its_own_track_and_port) {
  const ArrowRoutes routes({{{0, 0}, {3, 2}}, {{1, 2}, {2, 1}}, {{0, 0}, {2, 0}}});
  const ArrowRoute& far = routes.routes()[0];
  EXPECT_EQ(far.first_gutter, 1U);
  EXPECT_EQ(far.last_gutter, 2U);
  EXPECT_EQ(far.gap, 3U);
  EXPECT_FALSE(far.stays_in_gutter());
  const ArrowRoute& near = routes.routes()[1];
  EXPECT_TRUE(near.stays_in_gutter());
  EXPECT_FALSE(near.from_right);
  EXPECT_TRUE(near.to_right);
  EXPECT_EQ(near.first_track, 1U);
  const ArrowRoute& same = routes.routes()[2];
  EXPECT_EQ(same.first_gutter, 1U);
  EXPECT_EQ(same.first_track, 1U);
  EXPECT_EQ(same.from_port, 1U);
  EXPECT_EQ(routes.ports_at({0, 0}, true), 2U);
  EXPECT_EQ(routes.tracks_in(2), 2U);
  EXPECT_EQ(routes.lanes_in(3), 1U);
  EXPECT_EQ(routes.lanes_in(0), 0U);
}

TEST(Drawing, findings_of_any_content_can_be_drawn) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const Finding finding = sample::RandomFinding(seed).make();
    const std::string mermaid = render_mermaid(finding);
    EXPECT_TRUE(is_utf8(mermaid)) << seed;
    EXPECT_EQ(mermaid.find('\x1b'), std::string::npos) << seed;
    const std::string svg = render_svg(finding);
    EXPECT_TRUE(is_utf8(svg)) << seed;
    EXPECT_EQ(svg.find('\x1b'), std::string::npos) << seed;
    const ExploredScenario one{finding.scenario, explored({level({}, {finding}, 0)}), std::nullopt};
    EXPECT_TRUE(is_utf8(render_html(std::vector{one}))) << seed;
  }
}

}  // namespace
}  // namespace heddle

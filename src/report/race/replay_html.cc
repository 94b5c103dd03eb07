// Races as one page that needs nothing but itself: no script, no font, no image from elsewhere. It
// is HTML that is also well-formed XML.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/race/paper_table.h"
#include "report/race/race_picture.h"
#include "report/race/replay_reports.h"
#include "report/race/replay_summary.h"
#include "report/text/html_page.h"
#include "report/text/html_style.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string as_table(const std::string& rows) { return element("table", "", "\n" + rows) + "\n"; }

std::string differences_in_html(const RaceFinding& finding) {
  const std::vector<Contrast> all = contrasts(finding);
  if (all.empty()) return "";
  std::string rows = table_row({"", "this run", "A, then B", "B, then A"}, "th");
  for (const Contrast& contrast : all) {
    rows += table_row(
        {contrast.where, contrast.observed, contrast.serial[0].text, contrast.serial[1].text},
        "td");
  }
  return tagged("h4", "What is not as in the serial orders") + "\n" + as_table(rows);
}

std::string statements_in_html(const RaceFinding& finding) {
  std::string rows;
  for (const Fact& fact : racing_statements(finding))
    rows += table_row({fact.name, fact.text}, "td");
  return rows.empty() ? "" : tagged("h4", "The statements that race") + "\n" + as_table(rows);
}

std::string commands_in_html(const RaceFinding& finding) {
  std::string text;
  for (const Fact& command : request_commands(finding)) {
    text += paragraph("Request " + command.name) + tagged("pre", command.text) + "\n";
  }
  return text.empty() ? "" : tagged("h4", "The requests, to be sent by hand") + "\n" + text;
}

std::string facts_in_html(const RaceFinding& finding) {
  std::string text;
  for (const Fact& fact : race_facts(finding)) {
    text += tagged("dt", fact.name) + tagged("dd", fact.text) + "\n";
  }
  return tagged("h4", "Facts") + "\n" + element("dl", "", "\n" + text) + "\n";
}

// The diagram, and behind a fold the one with all steps where that has more.
std::string pictures_in_html(const RaceFinding& finding) {
  if (finding.steps.empty()) return "";
  const Diagram diagram = draw(finding);
  std::string text = element("figure", "", "\n" + race_picture(finding, diagram)) + "\n";
  if (std::ranges::none_of(diagram.rows, &DiagramRow::folded)) return text;
  const std::string all = race_picture(finding, draw(finding, ShownSteps::all));
  return text + folded("All steps of the two", element("figure", "", "\n" + all) + "\n");
}

std::string html_of_race(const RaceFinding& finding) {
  std::string text;
  for (const std::string& line : explanation_paragraphs(finding)) text += paragraph(line);
  text += pictures_in_html(finding) + differences_in_html(finding);
  for (const std::string& line : broken_invariants(finding)) text += paragraph(line, "broken");
  return text + statements_in_html(finding) + commands_in_html(finding) + facts_in_html(finding);
}

std::string funnel_in_html(const RaceTable& table) {
  const ListTable list = paper_table(table);
  return as_table(table_row(list.header, "th") + table_row(list.rows[0].cells, "td"));
}

std::string contents_in_html(const std::vector<const RaceFinding*>& findings) {
  std::string items;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::string link = element("a", attribute("href", fmt::format("#race-{}", i + 1)),
                                     markup_text(race_title(*findings[i])));
    items += element("li", "", link) + "\n";
  }
  if (findings.size() < 2) return "";
  return element("nav", "", element("ul", "", "\n" + items)) + "\n";
}

std::string groups_in_html(const RaceReport& report) {
  std::string text;
  for (const RaceGroup& group : race_groups(report)) {
    std::string items;
    for (const RaceFinding* finding : group.findings) {
      items += tagged("li", race_line(*finding)) + "\n";
    }
    text += tagged("h3", group.title) + "\n" + element("ul", "", "\n" + items) + "\n";
  }
  return text;
}

std::string counts_in_html(const RaceReport& report) {
  std::string rows;
  for (const RaceCount& each : race_counts(report)) {
    rows += table_row({std::string(each.name), std::to_string(each.count)}, "td");
  }
  return tagged("h3", "In numbers") + "\n" + as_table(rows);
}

}  // namespace

std::string render_html(const RaceReport& report) {
  const std::vector<const RaceFinding*> full = full_findings(report);
  std::string body = tagged("h1", "heddle race") + "\n" + paragraph(replay_head(report)) +
                     funnel_in_html(report.table) + paragraph(join(table_notes(report), "; ")) +
                     contents_in_html(full);
  for (std::size_t i = 0; i < full.size(); ++i) {
    body += element("article", attribute("id", fmt::format("race-{}", i + 1)),
                    "\n" + tagged("h2", race_title(*full[i])) + "\n" + html_of_race(*full[i])) +
            "\n";
  }
  body += groups_in_html(report) + counts_in_html(report);
  for (const std::string& remark : replay_remarks(report)) body += paragraph(remark, "note");
  return html_document(replay_head(report), html_style(), body);
}

}  // namespace heddle

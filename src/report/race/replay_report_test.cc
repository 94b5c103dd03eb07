// The reports of made-up races, compared with the files in golden/. UPDATE_GOLDEN=1 rewrites those;
// the difference is for people to read.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "base/utf8.h"
#include "format/race/random_race_testing.h"
#include "format/race/sample_races_testing.h"
#include "report/race/race_diagram.h"
#include "report/race/replay_reports.h"
#include "report/race/step_lines.h"
#include "report/text/golden_testing.h"

namespace heddle {
namespace {

using sample::expect_golden;

// Commands are the only lines that may be wider.
void expect_narrow(const std::string& text, std::size_t width) {
  for (const std::string& line : split(text, '\n')) {
    if (line.find("  curl ") != std::string::npos) continue;
    EXPECT_LE(display_width(line), width) << line;
  }
}

std::vector<std::string> labels_of(const Diagram& diagram) {
  std::vector<std::string> labels;
  for (const DiagramRow& row : diagram.rows) labels.push_back(row.label);
  return labels;
}

TEST(RaceText, tells_every_result) {
  const std::string text = render_text(sample::race_report(), TextOptions{});
  expect_narrow(text, 100);
  expect_golden("report.txt", text);
}

TEST(RaceText, in_color) {
  expect_golden("stale_read_color.txt", render_text(sample::stale_read(), {true, 80}));
}

TEST(RaceText, a_finding_of_any_result_with_all_steps) {
  expect_golden("refused.txt", render_text(sample::refused_by_a_key(), TextOptions{}));
  expect_golden("two_services_all.txt",
                render_text(sample::race_of_two_services(), TextOptions{}, ShownSteps::all));
}

TEST(RaceText, of_nothing) {
  RaceReport report;
  report.trace = "trace.jsonl";
  expect_golden("nothing.txt", render_text(report, TextOptions{}));
}

TEST(RaceText, fits_into_any_reasonable_width) {
  for (std::size_t width = 50; width <= 200; width += 7) {
    expect_narrow(render_text(sample::race_report(), {false, width}), width);
  }
}

TEST(RaceText, of_any_content) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const RaceFinding finding = sample::RandomRace(seed).make();
    for (const ShownSteps shown : {ShownSteps::that_matter, ShownSteps::all}) {
      const std::string text = render_text(finding, {false, 80}, shown);
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << seed;
      EXPECT_TRUE(is_utf8(text)) << seed;
    }
  }
}

TEST(RaceJson, of_a_candidate_that_is_not_feasible) {
  RaceReport report = sample::race_report();
  report.findings = {sample::not_feasible()};
  expect_golden("not_feasible.json", render_json(report));
}

TEST(RaceFormats, tell_every_result) {
  const RaceReport report = sample::race_report();
  expect_golden("report.md.txt", render_markdown(report));
  expect_golden("report.mermaid.txt", render_mermaid(report));
  expect_golden("report.svg", render_svg(report));
  expect_golden("report.html", render_html(report));
  expect_golden("refused.mermaid.txt", render_mermaid(sample::refused_by_a_key()));
}

TEST(RaceFormats, for_build_servers) {
  const RaceReport report = sample::race_report();
  constexpr std::array kFailing = {RaceResult::confirmed, RaceResult::stale_read};
  expect_golden("report.sarif", render_sarif(report));
  const std::string junit = render_junit(report, kFailing);
  EXPECT_NE(junit.find("tests=\"11\" failures=\"2\" errors=\"3\" skipped=\"2\""), std::string::npos)
      << junit.substr(0, 200);
  RaceReport two = report;
  two.findings = {sample::stale_read(), sample::not_feasible()};
  expect_golden("two.junit.xml", render_junit(two, kFailing));
}

TEST(RaceFormats, of_nothing) {
  RaceReport report;
  report.trace = "trace.jsonl";
  EXPECT_EQ(render_mermaid(report),
            "sequenceDiagram\n  title trace.jsonl\n  participant store as store\n"
            "  Note over store: trace.jsonl: 0 of 0 candidates confirmed\n");
  EXPECT_NE(render_svg(report).find("0 of 0 candidates confirmed"), std::string::npos);
  EXPECT_NE(render_html(report).find("0 of 0 candidates confirmed"), std::string::npos);
}

TEST(RaceFormats, of_any_content) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    RaceReport report;
    report.findings = {sample::RandomRace(seed).make(), sample::RandomRace(seed + 1000).make()};
    report.findings[0].result = RaceResult::confirmed;
    for (const std::string& text : {render_markdown(report), render_mermaid(report),
                                    render_svg(report), render_html(report)}) {
      EXPECT_EQ(text.find('\x1b'), std::string::npos) << seed;
      EXPECT_TRUE(is_utf8(text)) << seed;
    }
  }
}

TEST(KeptFiles, hold_what_can_be_run_again) {
  RaceFinding finding = sample::stale_read();
  finding.requests[1] = "curl --data '{\n}' http://127.0.0.1:42002/payments";
  std::vector<std::string> suffixes;
  for (const KeptFile& file : kept_files(finding)) suffixes.emplace_back(file.suffix);
  EXPECT_EQ(suffixes, (std::vector<std::string>{".json", ".txt", ".svg", ".sh"}));
  const Result<RaceFinding> again = parse_race_finding(kept_files(finding)[0].text, "f.json");
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_EQ(to_json(*again), to_json(finding));
  EXPECT_EQ(kept_files(finding)[3].text,
            "#!/bin/sh\n"
            "# Two POST payments/payments step on each other: check-then-act, stale read\n"
            "# schedule: A; B as soon as A is answered\n"
            "curl -X POST -d '{\"order\": 7}' http://127.0.0.1:42002/payments\n"
            "curl --data '{\n}' http://127.0.0.1:42002/payments\n");
  EXPECT_NE(render_text(finding, TextOptions{}).find("B  curl --data '{\n}' http:"),
            std::string::npos);
  EXPECT_EQ(kept_files(sample::not_feasible()).size(), 2U);
}

TEST(RaceDiagram, folds_what_does_not_matter) {
  const Diagram diagram = draw(sample::race_of_two_services());
  EXPECT_EQ(labels_of(diagram),
            (std::vector<std::string>{"1",  "2",  "3-5",   "6",     "2",  "7",     "8",
                                      "21", "9",  "10",    "11-13", "14", "10",    "16",
                                      "17", "18", "19-20", "9",     "21", "22-23", "1"}));
  EXPECT_EQ(diagram.columns, (std::vector<std::string>{"A: POST payments/gift-cards",
                                                       "B: POST payments/gift-cards"}));
}

TEST(RaceDiagram, shows_who_is_held_and_who_waits) {
  const Diagram diagram = draw(sample::race_of_two_services());
  const DiagramRow& held = diagram.rows[7];
  EXPECT_TRUE(held.held && held.waits);
  EXPECT_EQ(held.cells[0].back(), (StyledLine{TextStyle::stalled, "held"}));
  EXPECT_EQ(diagram.rows[8].cells[0], (StyledCell{{TextStyle::stalled, "held"}}));
  const DiagramRow& let_go = diagram.rows[18];
  EXPECT_TRUE(let_go.let_go && let_go.resumes && let_go.wrong);
  EXPECT_EQ(let_go.record, held.record);

  const Diagram refused = draw(sample::refused_by_a_key());
  EXPECT_EQ(refused.rows[4].cells[0].back(),
            (StyledLine{TextStyle::stalled, "stalled, waits for B"}));
  EXPECT_EQ(refused.rows[5].cells[0], (StyledCell{{TextStyle::stalled, "stalled"}}));
  EXPECT_TRUE(refused.rows[6].resumes && refused.rows[6].wrong);
}

TEST(RaceDiagram, a_request_that_is_not_answered_and_one_that_is_never_let_go) {
  sample::RaceRunNotes notes;
  notes.request(0, "tests", "seats", "POST /upgrades");
  const std::size_t waits = notes.send(0, "seats", "seats-db", "LOCK TABLE upgrade");
  notes.at(waits).sent = 0;
  RaceFinding finding = sample::not_feasible();
  finding.steps = notes.take();
  const Diagram diagram = draw(finding);
  ASSERT_EQ(labels_of(diagram), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(diagram.rows[0].cells[0].back().text, "no answer");
  EXPECT_EQ(diagram.rows[1].cells[0].back().text, "held to the end");
}

TEST(RaceDiagram, leaves_out_what_the_system_does_on_its_own_unless_it_conflicts) {
  EXPECT_EQ(draw(sample::race_of_two_services()).columns.size(), 2U);
  const Diagram diagram = draw(sample::stale_read());
  EXPECT_EQ(diagram.columns.back(), "background");
  EXPECT_EQ(diagram.rows.back().active, 2U);
}

TEST(RaceDiagram, of_any_run_has_every_step_of_the_two_in_its_column) {
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const RaceFinding finding = sample::RandomRace(seed).make();
    const Diagram diagram = draw(finding, ShownSteps::all);
    std::vector<std::size_t> rows(finding.steps.size());
    for (const DiagramRow& row : diagram.rows) {
      ++rows[row.record];
      ASSERT_EQ(row.cells.size(), diagram.columns.size()) << seed;
      ASSERT_FALSE(row.cells[row.active].empty()) << seed;
      ASSERT_LT(row.store, diagram.stores.size()) << seed;
      const std::optional<std::size_t> party = finding.steps[row.record].party;
      ASSERT_EQ(row.active, party.value_or(diagram.columns.size() - 1)) << seed;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RaceRunStep& step = finding.steps[i];
      const std::size_t most = 1 + (step.was_held ? 1 : 0) + (step.answered != 0 ? 1 : 0);
      const bool is_shown = step.party || step.conflicts;
      ASSERT_GE(rows[i], is_shown ? 1U : 0U) << seed;
      ASSERT_LE(rows[i], is_shown ? most : 0U) << seed;
    }
    ASSERT_LE(draw(finding).rows.size(), diagram.rows.size()) << seed;
  }
}

TEST(StepLines, a_long_text_loses_its_middle) {
  EXPECT_EQ(without_middle("SELECT a, b, c FROM t WHERE id = 7", 21), "SELECT a, b, … id = 7");
  EXPECT_EQ(without_middle("漢字漢字漢字漢字", 9), "漢字…字");
  EXPECT_EQ(without_middle("short", 5), "short");
}

TEST(RaceDiagram, marks_one_row_where_the_outcome_parts) {
  for (const RaceFinding& finding : sample::race_report().findings) {
    if (finding.steps.empty()) continue;
    for (const ShownSteps shown : {ShownSteps::that_matter, ShownSteps::all}) {
      const Diagram diagram = draw(finding, shown);
      EXPECT_EQ(std::ranges::count_if(diagram.rows, &DiagramRow::wrong), 1) << finding.id;
    }
  }
}

}  // namespace
}  // namespace heddle

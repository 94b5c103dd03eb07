#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/diagram/diagram.h"
#include "report/explore/explore_reports.h"
#include "report/explore/repair_summary.h"
#include "report/schedule/finding_diagram.h"
#include "report/schedule/run_text.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

std::string facts_section(const Finding& finding, const TextOptions& options) {
  std::string text;
  const std::vector<Fact> facts = finding_facts(finding);
  std::size_t label = 0;
  for (const Fact& fact : facts) label = std::max(label, display_width(fact.name));
  for (const Fact& fact : facts) text += text_beside(fact.name, label, fact.text, options);
  return text;
}

std::string finding_body(const Finding& finding, const TextOptions& options) {
  std::string text = "\n" + run_text(finding, contrasts(finding), options);
  const std::vector<std::string> paragraphs = explanation_paragraphs(finding);
  if (!paragraphs.empty()) text += "\n";
  for (const std::string& line : paragraphs) text += wrapped_text(line, options);
  return text + "\n" + facts_section(finding, options);
}

// Every cause once with its diagram, at the first level that has it.
class ExploreText {
 public:
  ExploreText(const ExploreReport& report, const Scenario& scenario, const TextOptions& options)
      : report_(report), scenario_(scenario), options_(options) {}

  std::string render() {
    std::string text;
    for (const Diagnostic& warning : report_.warnings) {
      text += wrapped_text("warning: " + printable(to_string(warning)), options_);
    }
    if (!text.empty()) text += "\n";
    if (report_.levels.size() > 1) text += matrix() + "\n";
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      if (i > 0) text += "\n";
      text += level_section(report_.levels[i]);
    }
    return text;
  }

 private:
  std::string matrix() const {
    const LevelTable table = level_table(report_, scenario_);
    Grid grid{{"anomalous interleavings"}, {}};
    grid.header.insert(grid.header.end(), table.levels.begin(), table.levels.end());
    for (const LevelTable::Line& line : table.lines) {
      std::vector<StyledCell> row = {{{TextStyle::plain, line.name}}};
      for (const std::string& cell : line.cells) row.push_back({{TextStyle::plain, cell}});
      grid.rows.push_back(std::move(row));
    }
    return heading_text(fmt::format("{}: {} isolation levels on {}", printable(scenario_.file),
                                    report_.levels.size(), printable(report_.store)),
                        options_) +
           "\n" + render_grid(grid, options_);
  }

  std::string level_section(const LevelReport& level) {
    std::string text = heading_text(
        printable(scenario_.file) + ": " + level_head(level, report_, scenario_), options_);
    const std::string note = level_note(level, scenario_);
    if (!note.empty()) text += wrapped_text(note, options_);
    const std::vector<const Finding*> findings = order_findings(level);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      text += "\n" + finding_section(*findings[i], i, findings.size());
    }
    return text + repair_section(level);
  }

  std::string repair_section(const LevelReport& level) const {
    const RepairSummary summary = summarize_repair(level, scenario_);
    std::string text;
    if (!summary.head.empty()) text += "\n" + heading_text(summary.head, options_);
    for (std::size_t i = 0; i < summary.items.size(); ++i) {
      std::string number = fmt::format("{:>3}", i + 1);
      for (const std::string& change : summary.items[i].changes) {
        text += text_beside(number, 3, printable(change), options_);
        number.clear();
      }
      text += text_beside("", 3, "(" + summary.items[i].cost + ")", options_);
    }
    for (const std::string& note : summary.notes) text += "\n" + wrapped_text(note, options_);
    return text;
  }

  std::string finding_section(const Finding& finding, std::size_t number, std::size_t count) {
    const std::string place = count > 1 ? fmt::format("{} of {}: ", number + 1, count) : "";
    const auto [first, is_new] =
        drawn_.emplace(cause_text(finding), at_level(finding.isolation, finding.scenario));
    const std::string title = heading_text(place + finding_heading(finding), options_);
    if (is_new) return title + finding_body(finding, options_);
    return title + wrapped_text(as_elsewhere(finding, first->second), options_);
  }

  const ExploreReport& report_;
  const Scenario& scenario_;
  const TextOptions& options_;
  std::map<std::string, std::string> drawn_;  // cause -> the level at which it was drawn
};

}  // namespace

std::string render_text(const ExploreReport& report, const Scenario& scenario,
                        const TextOptions& options) {
  return ExploreText(report, scenario, options).render();
}

std::string render_text(const WhyNotReport& report, const Scenario& scenario,
                        const TextOptions& options) {
  std::string text;
  for (const ScheduleAnswer& answer : report.answers) {
    if (!text.empty()) text += "\n";
    text += heading_text(fmt::format("{}: {} on {}", printable(scenario.file),
                                     to_string(scenario, answer.asked), printable(report.store)),
                         options);
    text += "\n" + render_diagram_text(draw(answer.finding), options);
    for (const Obstacle& obstacle : answer.obstacles) {
      text += "\n" + wrapped_text(printable(obstacle.sentence) + ".", options);
    }
    text += "\n" + wrapped_text(printable(answer.conclusion), options);
    if (answer.happens) {
      for (const std::string& line : explanation_paragraphs(answer.finding)) {
        text += wrapped_text(line, options);
      }
    }
    const std::string elsewhere = elsewhere_text(answer);
    if (!elsewhere.empty()) text += wrapped_text(elsewhere, options);
  }
  return text;
}

std::string render_text(const Finding& finding, const TextOptions& options) {
  return heading_text(finding_heading(finding), options) + finding_body(finding, options);
}

std::string render_text(const ReplayReport& report, const Finding& finding,
                        const TextOptions& options) {
  const std::string expected =
      is_unconfirmed(finding)
          ? wrapped_text(
                "Nothing is confirmed of this yet: no run of it had shown anything when it "
                "was saved, and any outcome that no serial order has would confirm it.",
                options)
          : "";
  return heading_text(replay_head(report, finding), options) + expected +
         differences_text(report.differences, options);
}

}  // namespace heddle

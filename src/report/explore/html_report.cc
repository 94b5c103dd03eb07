// One page that needs nothing but itself: no script, no font, no image from elsewhere. It is HTML
// that is also well-formed XML.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/explore/explore_reports.h"
#include "report/explore/repair_summary.h"
#include "report/explore/svg_report.h"
#include "report/schedule/summary.h"
#include "report/text/html_page.h"
#include "report/text/html_style.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string contrast_table(const Contrast& contrast) {
  std::string rows = table_row({"this run", contrast.observed}, "td", "observed");
  for (const Contrast::Side& side : contrast.serial) rows += table_row({side.who, side.text}, "td");
  return tagged("h4", contrast.where) + "\n" + element("table", "", "\n" + rows) + "\n";
}

std::string facts_list(const Finding& finding) {
  std::string text;
  for (const Fact& fact : finding_facts(finding)) {
    text += tagged("dt", fact.name) + tagged("dd", fact.text) + "\n";
  }
  return element("dl", "", "\n" + text) + "\n";
}

// Each serial order with all that it gives otherwise.
std::string serial_outcomes(const Finding& finding) {
  std::string rows = table_row({"serial order", "where", "this run", "serial order gives"}, "th");
  for (const SerialComparison& comparison : finding.serial) {
    std::vector<std::string> names;
    for (const std::string& name : comparison.order) names.push_back(printable(name));
    const std::string order = join(names, ", then ");
    for (const Difference& difference : comparison.differences) {
      rows += table_row({order, printable(difference.where), printable(difference.observed),
                         printable(difference.serial)},
                        "td");
    }
  }
  return folded(finding.serial.size() == 1
                    ? "What the only serial order gives"
                    : fmt::format("What each of {} serial orders gives", finding.serial.size()),
                element("table", "", "\n" + rows) + "\n");
}

}  // namespace

std::string html_of(const Finding& finding) {
  const FindingPicture picture = picture_of(finding);
  std::string text = element("figure", "", "\n" + picture.svg) + "\n";
  std::string legend;
  for (const std::string& line : picture.legend) legend += tagged("li", line) + "\n";
  if (!legend.empty()) text += element("ul", attribute("class", "legend"), "\n" + legend) + "\n";
  for (const std::string& line : explanation_paragraphs(finding)) text += paragraph(line);
  for (const std::string& line : broken_invariants(finding)) text += paragraph(line, "broken");
  for (const Contrast& contrast : contrasts(finding)) text += contrast_table(contrast);
  text += tagged("h4", "Facts") + "\n" + facts_list(finding);
  if (!finding.serial.empty()) text += serial_outcomes(finding);
  text += folded("The scenario with exactly this schedule, to copy into a spec file",
                 tagged("pre", render_spec(finding)) + "\n");
  return text;
}

namespace {

class HtmlPage {
 public:
  explicit HtmlPage(std::span<const ExploredScenario> explored) : explored_(explored) {}

  std::string render() {
    std::string sections;
    for (const ExploredScenario& one : explored_) sections += section_of(one);
    const std::string title = head_line();
    std::string body = tagged("h1", "heddle explore") + "\n" + paragraph(title);
    if (contents_.size() > 1) body += contents();
    return html_document(title, html_style(), body + sections);
  }

 private:
  struct Entry {
    std::string id;
    std::string title;
  };

  std::string head_line() const {
    const std::size_t files = explored_.size();
    const std::string where =
        files == 1 ? printable(explored_[0].scenario.file) : fmt::format("{} scenarios", files);
    return fmt::format("{}: {}", where,
                       causes_ == 0   ? "no anomaly was found"
                       : causes_ == 1 ? "1 cause of anomalies"
                                      : fmt::format("{} causes of anomalies", causes_));
  }

  std::string contents() const {
    std::string items;
    for (const Entry& entry : contents_) {
      const std::string link =
          element("a", attribute("href", "#" + entry.id), markup_text(entry.title));
      items += element("li", "", link) + "\n";
    }
    return element("nav", "", element("ul", "", "\n" + items)) + "\n";
  }

  std::string section_of(const ExploredScenario& one) {
    const std::string id = fmt::format("scenario-{}", ++scenarios_);
    const std::string file = printable(one.scenario.file);
    contents_.push_back({id, file});
    std::string text = tagged("h2", file) + "\n";
    if (one.trouble) {
      text += paragraph("Not explored: " + printable(to_string(*one.trouble)), "trouble");
    }
    for (const Diagnostic& warning : one.report.warnings) {
      text += paragraph("Warning: " + printable(to_string(warning)), "warning");
    }
    if (!one.report.levels.empty()) text += levels_of(one);
    drawn_.clear();
    for (const LevelReport& level : one.report.levels) text += level_section(level, one);
    return element("section", attribute("id", id), "\n" + text) + "\n";
  }

  static std::string levels_of(const ExploredScenario& one) {
    const LevelTable table = level_table(one.report, one.scenario);
    std::vector<std::string> header = {"anomalous interleavings"};
    header.insert(header.end(), table.levels.begin(), table.levels.end());
    std::string rows = table_row(header, "th");
    for (const LevelTable::Line& line : table.lines) {
      std::vector<std::string> cells = {line.name};
      cells.insert(cells.end(), line.cells.begin(), line.cells.end());
      rows += table_row(cells, "td");
    }
    return element("table", "", "\n" + rows) + "\n";
  }

  std::string level_section(const LevelReport& level, const ExploredScenario& one) {
    std::string text = paragraph(level_head(level, one.report, one.scenario) + ".",
                                 std::string(to_string(level.verdict)));
    const std::string note = level_note(level, one.scenario);
    if (!note.empty()) text += paragraph(note, "note");
    for (const Finding* finding : order_findings(level)) text += article_of(*finding);
    return text + repairs_of(level, one.scenario);
  }

  static std::string repairs_of(const LevelReport& level, const Scenario& scenario) {
    const RepairSummary summary = summarize_repair(level, scenario);
    std::string text;
    if (!summary.head.empty()) text += tagged("h3", summary.head) + "\n";
    std::string items;
    for (const RepairSummary::Item& item : summary.items) {
      items += tagged("li", printable(join(item.changes, "; ") + " (" + item.cost + ")")) + "\n";
    }
    if (!items.empty()) text += element("ol", "", "\n" + items) + "\n";
    for (const std::string& note : summary.notes) text += paragraph(note, "note");
    return text;
  }

  std::string article_of(const Finding& finding) {
    const std::string id = fmt::format("finding-{}", ++findings_);
    const std::string title = finding_heading(finding);
    const auto [first, is_new] =
        drawn_.emplace(cause_text(finding), at_level(finding.isolation, finding.scenario));
    std::string attributes = attribute("id", id);
    if (finding.suppressed) attributes += attribute("class", "suppressed");
    std::string text = tagged("h3", title) + "\n";
    if (is_new) {
      ++causes_;
      contents_.push_back({id, title});
      text += html_of(finding);
    } else {
      text += paragraph(as_elsewhere(finding, first->second));
    }
    return element("article", attributes, "\n" + text) + "\n";
  }

  std::span<const ExploredScenario> explored_;
  std::map<std::string, std::string> drawn_;  // cause -> the level at which it was drawn
  std::vector<Entry> contents_;
  std::size_t scenarios_ = 0;
  std::size_t findings_ = 0;
  std::size_t causes_ = 0;
};

}  // namespace

std::string render_html(std::span<const ExploredScenario> explored) {
  return HtmlPage(explored).render();
}

}  // namespace heddle

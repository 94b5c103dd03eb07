// Anomalies of a program as Markdown, for comments on changes: the table, and some in full.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/diagram/diagram.h"
#include "report/explore/explore_reports.h"
#include "report/find/find_reports.h"
#include "report/find/find_summary.h"
#include "report/schedule/finding_diagram.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string safe(const std::string& text) { return markdown_text(printable(text)); }

std::string list_item(const std::string& text) { return "- " + safe(text) + "\n"; }

class MarkdownPage {
 public:
  MarkdownPage(const FindReport& report, const Program& program, const DetailChoice& choice)
      : report_(report),
        choice_(choice),
        words_(program),
        summary_(summarize(report, program, words_)) {}

  std::string print(const ProgramRepairReport* repairs) {
    text_ = "# heddle find\n\n";
    for (const std::string& line : summary_.coverage) text_ += list_item(line);
    for (const std::string& line : summary_.head) text_ += list_item(line);
    for (const std::string& line : summary_.counts) text_ += list_item(line);
    print_table();
    for (const CauseReason& reason : summary_.reasons) {
      text_ += list_item(
          fmt::format("{} {}: {}", number_ranges(reason.numbers), reason.status, reason.reason));
    }
    for (const std::size_t place : chosen_rows(choice_, summary_.rows)) {
      print(details_of(report_.causes[place], place + 1, words_));
    }
    if (repairs != nullptr) {
      text_ += "\n## Repairs\n\n```text\n" + render_text(*repairs, TextOptions{}) + "```\n";
    }
    return std::move(text_);
  }

 private:
  void print_table() {
    if (summary_.rows.empty()) return;
    text_ += "\n" + markdown_row({"#", "cause", "tables", "places", "status", "effect"}) +
             markdown_row(std::vector<std::string>(6, "---"));
    const std::size_t most = std::min(rows_in_table(choice_), summary_.rows.size());
    for (std::size_t i = 0; i < most; ++i) {
      const CauseRow& row = summary_.rows[i];
      std::vector<std::string> places;
      for (const std::string& place : row.places) places.push_back(safe(place));
      text_ += markdown_row(
          {fmt::format("{}", row.number), safe(row.what), safe(row.tables), join(places, "<br>"),
           row.suppressed ? row.status + ", suppressed" : row.status, row.effect});
    }
    text_ += '\n';
    if (summary_.rows.size() > most) {
      text_ += fmt::format("and {} more\n\n", summary_.rows.size() - most);
    }
  }

  void print(const CauseDetails& details) {
    text_ += fmt::format("\n## {}. {}\n\n", details.number, safe(details.title));
    for (const CauseStatement& statement : details.statements) {
      text_ += fmt::format("- {} {}: {}\n", safe(statement.transaction), safe(statement.place),
                           safe(statement.text));
    }
    text_ += '\n';
    for (const std::string& sentence : details.sentences) text_ += list_item(sentence);
    text_ += '\n';
    for (const std::string& remark : details.remarks) text_ += list_item(remark);
    if (details.finding != nullptr) print(*details.finding);
    for (const FoundBreak& further : details.further) {
      text_ += "\n" + safe("a further run, which breaks " + join(further.invariants, ", ")) + ":\n";
      print(further.finding);
    }
  }

  void print(const Finding& finding) {
    text_ += "\n" + render_diagram_markdown(draw(finding));
    for (const Contrast& contrast : telling_contrasts(finding)) {
      text_ +=
          "\n" + markdown_row({markdown_text(contrast.where), ""}) + markdown_row({"---", "---"});
      text_ += markdown_row({"this run", "**" + markdown_text(contrast.observed) + "**"});
      for (const Contrast::Side& side : contrast.serial) {
        text_ += markdown_row({markdown_text(side.who), markdown_text(side.text)});
      }
    }
    for (const std::string& line : broken_invariants(finding)) {
      text_ += "\n" + markdown_text(line) + "\n";
    }
  }

  const FindReport& report_;
  const DetailChoice& choice_;
  CauseText words_;
  FindSummary summary_;
  std::string text_;
};

}  // namespace

std::string render_markdown(const FindReport& report, const Program& program,
                            const ProgramRepairReport* repairs, const DetailChoice& choice) {
  return MarkdownPage(report, program, choice).print(repairs);
}

}  // namespace heddle

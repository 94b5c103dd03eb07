// Anomalies of a program as one page that needs nothing but itself: the table, whose rows lead to
// what is said of each cause, to be unfolded.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/find/find_reports.h"
#include "report/find/find_summary.h"
#include "report/text/html_page.h"
#include "report/text/html_style.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

// Causes are articles that fold; places are lines of their own, which do not wrap.
constexpr const char* kFindRules =
    "article>details>summary{font-size:1.05rem;overflow-wrap:anywhere}\n"
    "td.places,span.place{white-space:pre;font-size:.9rem}\n"
    "tr.confirmed td.status{color:#b3261e;font-weight:600}\n"
    "tr.refuted,tr.suppressed{opacity:.65}\n"
    "ul.legend{scroll-margin-top:4rem}\n";

std::string html_cell(const std::string& content, const std::string& css_class = "") {
  return element("td", css_class.empty() ? "" : attribute("class", css_class), content);
}

std::string html_text(const std::string& text) { return markup_text(printable(text)); }

class AnomalyPage {
 public:
  AnomalyPage(const FindReport& report, const Program& program)
      : report_(report),
        program_(program),
        words_(program),
        summary_(summarize(report, program, words_)) {}

  std::string render(const ProgramRepairReport* repairs) const {
    std::string body = tagged("h1", "heddle find") + "\n";
    for (const std::string& line : summary_.coverage) body += paragraph(printable(line));
    for (const std::string& line : summary_.head) body += paragraph(printable(line));
    for (const std::string& line : summary_.counts) body += paragraph(printable(line));
    body += warnings() + table() + reasons();
    if (repairs != nullptr) {
      body += tagged("h2", "Repairs") + "\n" + tagged("pre", render_text(*repairs, TextOptions{})) +
              "\n";
    }
    for (std::size_t i = 0; i < report_.causes.size(); ++i) body += article(i);
    const std::string title = "heddle find: " + printable(summary_.counts.front());
    return html_document(title, html_style() + kFindRules, body);
  }

 private:
  std::string warnings() const {
    if (program_.notes.empty()) return "";
    std::string items;
    for (const Diagnostic& note : program_.notes) {
      items += tagged("li", printable(to_string(note))) + "\n";
    }
    return folded(fmt::format("Warnings ({})", program_.notes.size()),
                  element("ul", attribute("class", "warning"), "\n" + items) + "\n");
  }

  static std::string row_of(const CauseRow& row) {
    const std::string link =
        element("a", attribute("href", fmt::format("#cause-{}", row.number)), html_text(row.what));
    const std::string css_class =
        row.suppressed ? "suppressed" : row.status.substr(0, row.status.find(' '));
    std::vector<std::string> places;
    for (const std::string& place : row.places) places.push_back(html_text(place));
    std::string status = html_text(row.suppressed ? row.status + ", suppressed" : row.status);
    return element("tr", attribute("class", css_class),
                   html_cell(fmt::format("{}", row.number)) + html_cell(link) +
                       html_cell(html_text(row.tables)) + html_cell(join(places, "\n"), "places") +
                       html_cell(status, "status") + html_cell(html_text(row.effect)) +
                       html_cell(html_text(join(row.broken_invariants, ", ")))) +
           "\n";
  }

  std::string table() const {
    if (summary_.rows.empty()) return "";
    std::string rows =
        table_row({"#", "cause", "tables", "places", "status", "effect", "breaks"}, "th");
    for (const CauseRow& row : summary_.rows) rows += row_of(row);
    return element("table", "", "\n" + rows) + "\n";
  }

  std::string reasons() const {
    std::string items;
    for (const CauseReason& reason : summary_.reasons) {
      items += tagged("li", printable(fmt::format("{} {}: {}", number_ranges(reason.numbers),
                                                  reason.status, reason.reason))) +
               "\n";
    }
    return items.empty() ? "" : element("ul", "", "\n" + items) + "\n";
  }

  std::string article(std::size_t place) const {
    const FoundCause& cause = report_.causes[place];
    const CauseDetails details = details_of(cause, place + 1, words_);
    const std::string title = fmt::format("{}. {}", details.number, details.title);
    return element("article", cause.suppressed ? attribute("class", "suppressed") : "",
                   "\n" + folded(printable(title), content_of(details))) +
           "\n";
  }

  static std::string content_of(const CauseDetails& details) {
    std::string statements;
    for (const CauseStatement& statement : details.statements) {
      const std::string place =
          element("span", attribute("class", "place"), html_text(statement.place));
      statements += element("li", "",
                            html_text(statement.transaction) + " " + place + " " +
                                tagged("code", printable(statement.text))) +
                    "\n";
    }
    // Inside of what is folded, so that a link unfolds it.
    const std::string attributes =
        attribute("class", "legend") + attribute("id", fmt::format("cause-{}", details.number));
    std::string text = element("ul", attributes, "\n" + statements) + "\n";
    for (const std::string& sentence : details.sentences) text += paragraph(printable(sentence));
    for (const std::string& remark : details.remarks) text += paragraph(printable(remark), "note");
    if (details.finding != nullptr) text += html_of(*details.finding);
    for (const FoundBreak& further : details.further) {
      text +=
          tagged("h3", printable("A further run, which breaks " + join(further.invariants, ", "))) +
          "\n" + html_of(further.finding);
    }
    return text;
  }

  const FindReport& report_;
  const Program& program_;
  CauseText words_;
  FindSummary summary_;
};

}  // namespace

std::string render_html(const FindReport& report, const Program& program,
                        const ProgramRepairReport* repairs) {
  return AnomalyPage(report, program).render(repairs);
}

}  // namespace heddle

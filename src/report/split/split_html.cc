// What a cut adds as one page that needs nothing but itself: the services, the graph, what is
// counted, and each core to be unfolded.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/split/graph_drawing.h"
#include "report/split/split_counts.h"
#include "report/split/split_picture.h"
#include "report/split/split_reports.h"
#include "report/split/split_words.h"
#include "report/text/coverage_text.h"
#include "report/text/html_page.h"
#include "report/text/html_style.h"
#include "report/text/layout.h"
#include "report/text/markup.h"

namespace heddle {

namespace {

std::string table(const std::string& rows) { return element("table", "", "\n" + rows) + "\n"; }

// Rules for the cores, which are articles that fold.
constexpr const char* kSplitRules =
    "article>details>summary{font-size:1.05rem;overflow-wrap:anywhere}\n";

class SplitPage {
 public:
  explicit SplitPage(const SplitReport& report) : report_(report), words_(report) {}

  std::string render() const {
    const SplitCounts counts = count_causes(report_);
    const std::string title = printable(words_.head());
    std::string body = tagged("h1", "heddle split") + "\n" + paragraph(title);
    body += coverage();
    for (const std::string& line : words_.summary(counts)) body += paragraph(printable(line));
    for (const Diagnostic& note : report_.chopped.notes) {
      body += paragraph("Warning: " + printable(to_string(note)), "warning");
    }
    body += services() + torn_keys();
    body += tagged("h2", "Where causes meet") + "\n" +
            element("figure", "", "\n" + picture_of(report_)) + "\n";
    body += tagged("h2", "Functionalities") + "\n" + functionalities();
    if (counts.total.all > 0) body += tagged("h2", "Counts") + "\n";
    for (const CauseCounts& one : counts.tables) body += count_table(one);
    body += merges();
    return html_document(title, style(), body + cores(counts.total.cores));
  }

 private:
  static std::string style() {
    return html_style() + kSplitRules + graph_style() + "@media (prefers-color-scheme:dark){\n" +
           graph_dark_style() + "}\n";
  }

  // The first line, and behind it what was not read.
  std::string coverage() const {
    const Coverage& measured = report_.chopped.program.coverage;
    std::string text;
    for (const CoverageLine& line : coverage_lines(measured)) {
      text += paragraph(line.text, is_complete(measured) ? "" : "warning");
    }
    return text;
  }

  std::string services() const {
    std::string rows = table_row({"service", "tables"}, "th");
    for (const Service& service : report_.cut.services) {
      std::vector<std::string> tables;
      for (const CutTable& one : service.tables) tables.push_back(one.name);
      rows += table_row({printable(service.name), printable(join(tables, ", "))}, "td");
    }
    return tagged("h2", "Services") + "\n" + table(rows);
  }

  std::string torn_keys() const {
    std::string items;
    for (const TornKey& key : report_.torn_keys) {
      items += tagged("li", printable(words_.torn_key(key))) + "\n";
    }
    if (items.empty()) return "";
    return tagged("h2", "Foreign keys between services, which nobody checks any more") + "\n" +
           element("ul", "", "\n" + items) + "\n";
  }

  std::string functionalities() const {
    std::string rows = table_row({"functionality", "sub-transactions", "services"}, "th");
    for (const SplitWords::FunctionalityRow& row : words_.functionalities()) {
      rows += table_row({printable(row.name), row.sub_transactions, printable(row.services)}, "td");
    }
    std::string text = table(rows);
    for (const ProposedOrder& order : report_.orders) {
      text += paragraph(printable(words_.order(order)));
    }
    return text;
  }

  std::string merges() const {
    if (report_.merges.empty()) return "";
    std::string rows = table_row({"table", "moved to", "cores gone", "causes gone"}, "th");
    for (const TableMerge& merge : report_.merges) {
      rows +=
          table_row({printable(merge.table), printable(report_.cut.services[merge.service].name),
                     fmt::format("{}", merge.cores), fmt::format("{}", merge.causes)},
                    "td");
    }
    return table(rows);
  }

  static std::string count_table(const CauseCounts& counts) {
    if (counts.counts.empty()) return "";
    std::string rows = table_row({counts.by, "core", "all"}, "th");
    for (const auto& [name, count] : counts.counts) {
      rows += table_row(
          {printable(name), fmt::format("{}", count.cores), fmt::format("{}", count.all)}, "td");
    }
    return table(rows);
  }

  std::string cores(std::size_t count) const {
    if (count == 0) return "";
    std::string text = tagged("h2", "Cores") + "\n";
    for (std::size_t i = 0; i < report_.causes.size(); ++i) {
      const SplitCause& cause = report_.causes[i];
      if (!cause.is_core) continue;
      const std::string title = fmt::format("{}. {}", i + 1, words_.title(cause));
      text += element("article", attribute("id", fmt::format("cause-{}", i + 1)),
                      "\n" + folded(printable(title), content_of(cause))) +
              "\n";
    }
    return text;
  }

  static std::string list(std::string_view name, const std::vector<std::string>& lines,
                          bool is_code) {
    std::string items;
    for (const std::string& line : lines) {
      const std::string text = printable(line);
      items += element("li", "", is_code ? tagged("code", text) : markup_text(text)) + "\n";
    }
    return element(name, attribute("class", "legend"), "\n" + items) + "\n";
  }

  std::string content_of(const SplitCause& cause) const {
    std::string text = paragraph(printable(words_.between(cause)));
    text += list("ul", words_.statements(cause), true);
    text += list("ul", words_.sentences(cause), false);
    if (const std::string more = words_.other_cycles(cause); !more.empty()) text += paragraph(more);
    if (cause.needs) text += paragraph(printable(SplitWords::need(cause)));
    const std::string status = words_.status(cause);
    text += paragraph(printable(status.empty() ? "possible; nobody executed it" : status), "note");
    if (cause.execution && cause.execution->finding) text += html_of(*cause.execution->finding);
    return text;
  }

  const SplitReport& report_;
  SplitWords words_;
};

}  // namespace

std::string render_html(const SplitReport& report) { return SplitPage(report).render(); }

}  // namespace heddle

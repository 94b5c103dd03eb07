// What a cut adds, for people: the services, what each functionality becomes, the causes, and
// counts by kind, by tables and by functionalities.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/layout.h"
#include "report/report.h"
#include "report/split_counts.h"
#include "report/split_words.h"

namespace heddle {

namespace {

class SplitPrinter {
 public:
  SplitPrinter(const SplitReport& report, const TextOptions& options)
      : report_(report), options_(options), words_(report) {}

  std::string print() {
    print_cut();
    print_functionalities();
    for (std::size_t i = 0; i < report_.causes.size(); ++i) {
      if (report_.causes[i].is_core) print(report_.causes[i], i + 1);
    }
    const SplitCounts counts = count_causes(report_);
    for (const CauseCounts& table : counts.tables) print(table);
    print_needs();
    print_merges();
    for (const std::string& text : words_.summary(counts)) line(0, TextStyle::plain, text);
    return std::move(text_);
  }

 private:
  void print_cut() {
    line(0, TextStyle::plain, words_.head());
    for (std::size_t i = 0; i < report_.cut.services.size(); ++i) {
      line(2, TextStyle::plain, words_.service(i));
    }
    if (!report_.torn_keys.empty()) {
      line(0, TextStyle::plain, "foreign keys between services, which nobody checks any more:");
    }
    for (const TornKey& key : report_.torn_keys) line(2, TextStyle::plain, words_.torn_key(key));
    text_ += '\n';
  }

  void print_functionalities() {
    Grid grid{.header = {"functionality", "sub-transactions", "services"}, .rows = {}};
    for (const SplitWords::FunctionalityRow& row : words_.functionalities()) {
      grid.rows.push_back({{{TextStyle::plain, printable(row.name)}},
                           {{TextStyle::plain, row.sub_transactions}},
                           {{TextStyle::plain, printable(row.services)}}});
    }
    text_ += render_grid(grid, options_) + "\n";
    for (const ProposedOrder& order : report_.orders) {
      line(0, TextStyle::plain, words_.order(order));
    }
    if (!report_.orders.empty()) text_ += "\n";
  }

  void print(const SplitCause& cause, std::size_t number) {
    line(0, TextStyle::heading, fmt::format("{}. {}", number, words_.title(cause)));
    line(2, TextStyle::plain, words_.between(cause));
    for (const std::string& text : words_.statements(cause)) line(2, TextStyle::step, text);
    for (const std::string& text : words_.sentences(cause)) line(4, TextStyle::plain, text);
    if (const std::string more = words_.other_cycles(cause); !more.empty()) {
      line(2, TextStyle::plain, more);
    }
    if (const std::string status = words_.status(cause); !status.empty()) {
      line(2, TextStyle::plain, status);
    }
    if (cause.execution && cause.execution->finding) {
      text_ += "\n" + render_text(*cause.execution->finding, options_);
    }
    if (cause.needs) line(2, TextStyle::plain, words_.need(cause));
    text_ += '\n';
  }

  void print_merges() {
    constexpr std::size_t kMost = 10;
    if (report_.merges.empty()) return;
    Grid grid{.header = {"table", "moved to", "cores gone", "causes gone"}, .rows = {}};
    for (const TableMerge& merge : report_.merges) {
      if (grid.rows.size() == kMost) break;
      grid.rows.push_back(
          {{{TextStyle::plain, printable(merge.table)}},
           {{TextStyle::plain, printable(report_.cut.services[merge.service].name)}},
           {{TextStyle::plain, fmt::format("{}", merge.cores)}},
           {{TextStyle::plain, fmt::format("{}", merge.causes)}}});
    }
    text_ += render_grid(grid, options_) + "\n";
  }

  void print_needs() {
    std::map<IsolationLevel, std::size_t> counts;
    for (const SplitCause& cause : report_.causes) {
      if (cause.needs) ++counts[*cause.needs];
    }
    if (counts.empty()) return;
    Grid grid{.header = {"removed across services by", "core"}, .rows = {}};
    for (const auto& [level, count] : counts) {
      grid.rows.push_back({{{TextStyle::plain, std::string(definition(level).name)}},
                           {{TextStyle::plain, fmt::format("{}", count)}}});
    }
    text_ += render_grid(grid, options_) + "\n";
  }

  void print(const CauseCounts& counts) {
    if (counts.counts.empty()) return;
    Grid grid{.header = {counts.by, "core", "all"}, .rows = {}};
    for (const auto& [name, count] : counts.counts) {
      grid.rows.push_back({{{TextStyle::plain, printable(name)}},
                           {{TextStyle::plain, fmt::format("{}", count.cores)}},
                           {{TextStyle::plain, fmt::format("{}", count.all)}}});
    }
    text_ += render_grid(grid, options_) + "\n";
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  const SplitReport& report_;
  TextOptions options_;
  SplitWords words_;
  std::string text_;
};

}  // namespace

std::string render_text(const SplitReport& report, const TextOptions& options) {
  return SplitPrinter(report, options).print();
}

}  // namespace heddle

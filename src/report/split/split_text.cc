// What a cut adds, for people: the services, what each functionality becomes, the table of the
// cores, counts by kind, by tables and by functionalities, then some of the cores in full.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/find/cause_table.h"
#include "report/schedule/run_text.h"
#include "report/split/split_counts.h"
#include "report/split/split_reports.h"
#include "report/split/split_words.h"
#include "report/text/counted.h"
#include "report/text/coverage_text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

// Of tables that grow with the program; a page has all.
constexpr std::size_t kMostCounts = 10;

class SplitPrinter {
 public:
  SplitPrinter(const SplitReport& report, const TextOptions& options, const DetailChoice& choice)
      : report_(report), options_(options), choice_(choice), words_(report) {
    for (std::size_t i = 0; i < report.causes.size(); ++i) {
      if (report.causes[i].is_core) rows_.push_back(words_.row(report.causes[i], i + 1));
    }
  }

  std::string print() {
    text_ = render_coverage(report_.chopped.program.coverage, options_);
    print_cut();
    print_functionalities();
    const SplitCounts counts = count_causes(report_);
    print_cores();
    for (const std::string& text : words_.summary(counts)) line(0, text);
    for (const std::string& text : invariant_lines(rows_)) line(0, text);
    const std::vector<std::size_t> chosen = chosen_rows(choice_, rows_);
    print_reasons(chosen);
    print_where_the_rest_is(chosen);
    for (const CauseCounts& table : counts.tables) print(table);
    print_needs();
    print_merges();
    for (const std::size_t place : chosen) {
      const std::size_t number = rows_[place].number;
      text_ +=
          "\n" + cause_details_text(words_.details(report_.causes[number - 1], number), options_);
    }
    return std::move(text_);
  }

 private:
  void print_cut() {
    line(0, words_.head());
    for (std::size_t i = 0; i < report_.cut.services.size(); ++i) line(2, words_.service(i));
    if (!report_.torn_keys.empty()) {
      line(0, "foreign keys between services, which nobody checks any more:");
    }
    for (const TornKey& key : report_.torn_keys) {
      const char* const asked = key.is_asked ? "; callers are taken to ask in its place" : "";
      line(2, words_.torn_key(key) + asked);
    }
    text_ += '\n';
  }

  void print_functionalities() {
    Grid grid{.header = {"functionality", "sub-transactions", "services"}, .rows = {}};
    for (const SplitWords::FunctionalityRow& row : words_.functionalities()) {
      grid.rows.push_back({plain(row.name), plain(row.sub_transactions), plain(row.services)});
    }
    text_ += render_grid(grid, options_) + "\n";
    if (const std::size_t sessions = report_.chopped.sessions.size(); sessions > 0) {
      line(0, "also " + counted(sessions, "session of several calls", "sessions of several calls"));
      text_ += "\n";
    }
    for (const ProposedOrder& order : report_.orders) line(0, words_.order(order));
    if (!report_.orders.empty()) text_ += "\n";
  }

  void print_cores() {
    if (rows_.empty()) return;
    const std::size_t most = rows_in_table(choice_);
    text_ += cause_table_text(rows_, most, options_);
    const std::size_t shown = rows_shown(rows_, most);
    if (rows_.size() > shown) {
      line(0, fmt::format("and {} more: --details=none lists all", rows_.size() - shown));
    }
    text_ += '\n';
  }

  // Of what is told in full below its reason stands there.
  void print_reasons(const std::vector<std::size_t>& chosen) {
    CauseReasons reasons;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const SplitCause& cause = report_.causes[rows_[i].number - 1];
      const bool is_proved = cause.execution && cause.execution->status == FindingStatus::refuted;
      const bool is_told = std::ranges::find(chosen, i) != chosen.end();
      if (!is_proved && !is_told) reasons.add(rows_[i].number, cause.execution);
    }
    for (const CauseReason& reason : reasons.all()) {
      line(0,
           fmt::format("{} {}: {}", number_ranges(reason.numbers), reason.status, reason.reason));
    }
  }

  void print_where_the_rest_is(const std::vector<std::size_t>& chosen) {
    if (chosen.size() == rows_.size()) return;
    std::vector<std::size_t> numbers;
    for (const std::size_t place : chosen) numbers.push_back(rows_[place].number);
    const std::string told =
        numbers.empty() ? "" : fmt::format("in full below: {}; ", number_ranges(numbers));
    line(0, told +
                "any other with --details=NUMBER, all with --details=all or on a page with "
                "--format=html");
  }

  void print_merges() {
    if (report_.merges.empty()) return;
    Grid grid{.header = {"table", "moved to", "cores gone", "causes gone"}, .rows = {}};
    const bool has_failures = report_.merges.front().failures.has_value();
    if (has_failures) grid.header.emplace_back("failures gone");
    for (const TableMerge& merge : report_.merges) {
      if (grid.rows.size() == kMostCounts) break;
      grid.rows.push_back({plain(merge.table), plain(report_.cut.services[merge.service].name),
                           plain(fmt::format("{}", merge.cores)),
                           plain(fmt::format("{}", merge.causes))});
      if (has_failures) {
        grid.rows.back().push_back(plain(merge.failures ? fmt::format("{}", *merge.failures) : ""));
      }
    }
    text_ += "\n" + render_grid(grid, options_);
  }

  void print_needs() {
    std::map<IsolationLevel, std::size_t> counts;
    for (const SplitCause& cause : report_.causes) {
      if (cause.needs) ++counts[*cause.needs];
    }
    if (counts.empty()) return;
    Grid grid{.header = {"removed across services by", "core"}, .rows = {}};
    for (const auto& [level, count] : counts) {
      grid.rows.push_back(
          {plain(std::string(definition(level).name)), plain(fmt::format("{}", count))});
    }
    text_ += "\n" + render_grid(grid, options_);
  }

  // Those with the most cores first.
  void print(const CauseCounts& counts) {
    if (counts.counts.empty()) return;
    std::vector<std::pair<std::string, CauseCount>> lines(counts.counts.begin(),
                                                          counts.counts.end());
    std::ranges::stable_sort(lines, [](const auto& a, const auto& b) {
      return std::pair(a.second.cores, a.second.all) > std::pair(b.second.cores, b.second.all);
    });
    const std::size_t left = lines.size() > kMostCounts ? lines.size() - kMostCounts : 0;
    lines.resize(lines.size() - left);
    Grid grid{.header = {counts.by, "core", "all"}, .rows = {}};
    for (const auto& [name, count] : lines) {
      grid.rows.push_back({plain(name), plain(fmt::format("{}", count.cores)),
                           plain(fmt::format("{}", count.all))});
    }
    text_ += "\n" + render_grid(grid, options_);
    if (left > 0) line(0, fmt::format("and {} more: --format=html", left));
  }

  static StyledCell plain(const std::string& text) {
    return {{.style = TextStyle::plain, .text = printable(text)}};
  }

  void line(std::size_t indent, const std::string& text) {
    text_ += indented_text(indent, printable(text), options_);
  }

  const SplitReport& report_;
  TextOptions options_;
  const DetailChoice& choice_;
  SplitWords words_;
  std::vector<CauseRow> rows_;  // of the cores
  std::string text_;
};

}  // namespace

std::string render_text(const SplitReport& report, const TextOptions& options) {
  return render_text(report, options, DetailChoice{});
}

std::string render_text(const SplitReport& report, const TextOptions& options,
                        const DetailChoice& choice) {
  return SplitPrinter(report, options, choice).print();
}

}  // namespace heddle

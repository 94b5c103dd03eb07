// Cuts side by side, for people: a line for each with what it costs, then the tables of each.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "heddle/cut_search.h"
#include "report/split/split_reports.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

class CutsPrinter {
 public:
  CutsPrinter(const std::vector<ScoredCut>& cuts, const TextOptions& options)
      : cuts_(cuts), options_(options) {
    for (const ScoredCut& cut : cuts) {
      for (const auto& [kind, count] : cut.score.kinds) kinds_.insert(kind);
      for (const auto& [level, count] : cut.score.needs) needs_.insert(level);
      for (const auto& [status, count] : cut.score.executed) executed_.insert(status);
      has_failures_ = has_failures_ || cut.score.failures;
    }
  }

  void print_table() {
    Grid grid{.header = {"cut", "services", "cores", "all"}, .rows = {}};
    for (const AnomalyKind kind : kinds_) grid.header.emplace_back(definition(kind).name);
    grid.header.emplace_back("calls");
    grid.header.emplace_back("silhouette");
    for (const IsolationLevel level : needs_) {
      grid.header.push_back(fmt::format("needs {}", definition(level).name));
    }
    for (const FindingStatus status : executed_) grid.header.emplace_back(to_string(status));
    if (has_failures_) grid.header.emplace_back("failures");
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      const CutScore& score = cuts_[i].score;
      std::vector<StyledCell>& row = grid.rows.emplace_back();
      row.push_back(cell(name_of(i)));
      for (const std::size_t count : {score.services, score.cores, score.causes}) {
        row.push_back(cell(fmt::format("{}", count)));
      }
      for (const AnomalyKind kind : kinds_) {
        row.push_back(counted_in(score.kinds, kind));
      }
      row.push_back(cell(fmt::format("{}", score.calls)));
      row.push_back(cell(fmt::format("{:.2f}", score.silhouette)));
      for (const IsolationLevel level : needs_) row.push_back(counted_in(score.needs, level));
      for (const FindingStatus status : executed_) {
        row.push_back(counted_in(score.executed, status));
      }
      if (has_failures_) row.push_back(cell(failures_of(score)));
    }
    text_ += render_grid(grid, options_) + "\n";
  }

  void print_silhouettes(const std::map<std::size_t, double>& silhouettes) {
    Grid grid{.header = {"services", "silhouette of the cluster"}, .rows = {}};
    for (const auto& [services, silhouette] : silhouettes) {
      grid.rows.push_back(
          {cell(fmt::format("{}", services)), cell(fmt::format("{:.4f}", silhouette))});
    }
    text_ += render_grid(grid, options_) + "\n";
  }

  void print_cuts() {
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      line(0, TextStyle::heading, name_of(i));
      for (const Service& service : cuts_[i].cut.services) {
        std::vector<std::string> tables;
        for (const CutTable& table : service.tables) tables.push_back(table.name);
        const auto level = cuts_[i].levels.find(service.name);
        line(2, TextStyle::plain,
             fmt::format("{}: {}{}", service.name, join(tables, ", "),
                         level == cuts_[i].levels.end()
                             ? ""
                             : fmt::format(", at {}", definition(level->second).name)));
      }
      text_ += '\n';
    }
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  std::string take() { return std::move(text_); }

 private:
  static StyledCell cell(const std::string& text) {
    return {{.style = TextStyle::plain, .text = printable(text)}};
  }

  static StyledCell counted_in(const auto& counts, const auto& what) {
    const auto count = counts.find(what);
    return cell(fmt::format("{}", count == counts.end() ? 0 : count->second));
  }

  // A limit may have come before them.
  static std::string failures_of(const CutScore& score) {
    return score.failures ? fmt::format("{}", *score.failures) : "?";
  }

  // The file's, or a number.
  std::string name_of(std::size_t cut) const {
    const std::string& file = cuts_[cut].cut.file;
    return file.empty() ? fmt::format("{}", cut + 1) : file;
  }

  const std::vector<ScoredCut>& cuts_;
  TextOptions options_;
  std::set<AnomalyKind> kinds_;
  std::set<IsolationLevel> needs_;
  std::set<FindingStatus> executed_;
  bool has_failures_ = false;
  std::string text_;
};

constexpr std::string_view kCalls =
    "calls: how often a run hands over to another service at most; silhouette: how much more the "
    "tables of a service are used together than with those of another, from -1 to 1";

constexpr std::string_view kClusters =
    "the cluster of the highest silhouette, by the share of the functionalities using a table that "
    "also use another one (average linkage)";

std::string best_of_text(const CutSearchReport& report) {
  const std::size_t looked_at = report.possible > 0 ? report.possible : report.looked_at;
  const std::string of = fmt::format("{}{}", report.possible > 0 ? "all " : "", looked_at);
  return fmt::format(
      "the best of {} {}, by {} of sets of functionalities: of the "
      "others none has as many services, and neither more cores nor more calls",
      of, looked_at == 1 ? "cut" : "cuts", counted(report.searches, "search", "searches"));
}

// Of a comparison or of a search.
template <class Report>
std::string added_text(const Report& report) {
  return "anomalies that each cut adds, " +
         within_bounds(report.max_length, report.max_instances, report.max_prefix) +
         (report.across
              ? fmt::format("; across services {} is guaranteed", definition(*report.across).name)
              : "");
}

}  // namespace

std::string render_text(const CutComparison& comparison, const TextOptions& options) {
  CutsPrinter printer(comparison.cuts, options);
  printer.print_table();
  printer.print_cuts();
  printer.line(0, TextStyle::plain, added_text(comparison));
  printer.line(0, TextStyle::plain, std::string(kCalls));
  if (!comparison.bound.empty()) {
    printer.line(0, TextStyle::plain, "not complete: " + comparison.bound);
  }
  return printer.take();
}

std::string render_text(const CutSearchReport& report, const TextOptions& options) {
  CutsPrinter printer(report.front, options);
  printer.print_table();
  printer.print_cuts();
  if (report.silhouettes.empty()) {
    printer.line(0, TextStyle::plain, best_of_text(report));
  } else {
    printer.print_silhouettes(report.silhouettes);
    printer.line(0, TextStyle::plain, std::string(kClusters));
  }
  printer.line(0, TextStyle::plain, added_text(report));
  printer.line(0, TextStyle::plain, std::string(kCalls));
  if (!report.bound.empty()) printer.line(0, TextStyle::plain, "not complete: " + report.bound);
  return printer.take();
}

}  // namespace heddle

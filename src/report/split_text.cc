// What a cut adds, for people: the services, what each functionality becomes, the causes, and
// counts by kind, by tables and by functionalities.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/cause_text.h"
#include "report/layout.h"
#include "report/report.h"

namespace heddle {

namespace {

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

class SplitPrinter {
 public:
  SplitPrinter(const SplitReport& report, const TextOptions& options)
      : report_(report), options_(options), words_(report.chopped.program) {}

  std::string print() {
    print_cut();
    print_functionalities();
    for (std::size_t i = 0; i < report_.causes.size(); ++i) {
      if (report_.causes[i].is_core) print(report_.causes[i], i + 1);
    }
    print_counts();
    print_summary();
    return std::move(text_);
  }

 private:
  using Counts = std::map<std::string, std::pair<std::size_t, std::size_t>>;  // cores, all

  void print_cut() {
    const bool is_mixed = std::ranges::any_of(
        report_.levels, [&](IsolationLevel level) { return level != report_.levels.front(); });
    line(0, TextStyle::plain,
         fmt::format("{}: {}{}{}", report_.cut.file,
                     counted(report_.cut.services.size(), "service", "services"),
                     is_mixed || report_.levels.empty()
                         ? ""
                         : fmt::format(", each of which runs its part at {}",
                                       definition(report_.levels.front()).name),
                     report_.across ? fmt::format("; across services {} is guaranteed",
                                                  definition(*report_.across).name)
                                    : ""));
    for (std::size_t i = 0; i < report_.cut.services.size(); ++i) {
      const Service& service = report_.cut.services[i];
      std::vector<std::string> tables;
      for (const CutTable& table : service.tables) tables.push_back(table.name);
      line(2, TextStyle::plain,
           fmt::format("{}: {}{}", service.name, join(tables, ", "),
                       is_mixed ? fmt::format(", at {}", definition(report_.levels[i]).name) : ""));
    }
    text_ += '\n';
  }

  // "transfer[1] on M1 and [2] on M2"
  std::string name_of(const std::vector<SplitPart>& parts) const {
    std::vector<std::string> names;
    for (const SplitPart& part : parts) {
      const SubTransaction& sub = report_.chopped.sub_transactions[part.functionality][part.number];
      names.push_back(
          fmt::format("[{}] on {}", part.number + 1, report_.cut.services[sub.service].name));
    }
    return words_.name(parts.front().functionality) + join(names, " and ");
  }

  void print_functionalities() {
    Grid grid{.header = {"functionality", "sub-transactions", "services"}, .rows = {}};
    const auto& all = report_.chopped.sub_transactions;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<std::string> services;
      for (const SubTransaction& sub : all[i]) {
        services.push_back(report_.cut.services[sub.service].name);
      }
      grid.rows.push_back({{{TextStyle::plain, printable(words_.name(i))}},
                           {{TextStyle::plain, fmt::format("{}", all[i].size())}},
                           {{TextStyle::plain, printable(join(services, ", "))}}});
    }
    text_ += render_grid(grid, options_) + "\n";
    for (const ProposedOrder& order : report_.orders) print(order);
    if (!report_.orders.empty()) text_ += "\n";
  }

  // The statements by their lines, as they would follow each other.
  void print(const ProposedOrder& order) {
    const auto& origins = report_.chopped.origins[order.functionality];
    const std::vector<ListedStatement> listed =
        list_statements(report_.chopped.program.functionalities[order.functionality]);
    std::vector<std::string> lines;
    for (const std::size_t statement : order.statements) {
      const auto at = std::ranges::find(origins, std::optional(statement));
      if (at == origins.end()) continue;
      const auto& of = listed[static_cast<std::size_t>(at - origins.begin())].statement->source;
      lines.push_back(fmt::format("{}", of.position.line));
      if (lines.size() > 1 && lines[lines.size() - 2] == lines.back()) lines.pop_back();
    }
    line(0, TextStyle::plain,
         fmt::format("{} would do the same in {} with its statements in this order, by their "
                     "lines: {}",
                     words_.name(order.functionality),
                     counted(order.after, "sub-transaction", "sub-transactions"),
                     join(lines, ", ")));
  }

  std::string functionalities_of(const SplitCause& cause) const {
    std::set<std::string> names;
    for (const std::vector<SplitPart>& parts : cause.parts) {
      names.insert(words_.name(parts.front().functionality));
    }
    return join(std::vector<std::string>(names.begin(), names.end()), " and ");
  }

  void print(const SplitCause& cause, std::size_t number) {
    const FoundCycle& cycle = cause.cycles.front();
    line(0, TextStyle::heading,
         fmt::format("{}. {}: {}, on {}", number, definition(cause.kind).name,
                     words_.transactions(cycle), join(cause.tables, ", ")));
    std::vector<std::string> sides;
    for (const std::vector<SplitPart>& parts : cause.parts) sides.push_back(name_of(parts));
    line(2, TextStyle::plain, "between " + join(sides, "; "));
    for (const FoundNode& node : nodes_in_order(cycle)) {
      const SourceLocation& source = words_.statement(node).source;
      line(2, TextStyle::step,
           fmt::format("T{} {}  {}:{}: {}", node.instance + 1, words_.name(node.functionality),
                       source.file, source.position.line, words_.statement_text(node)));
    }
    for (const FoundEdge& edge : cycle.edges) {
      line(4, TextStyle::plain, words_.sentence(cycle, edge));
    }
    if (cause.cycles.size() > 1) {
      line(2, TextStyle::plain,
           counted(cause.cycles.size() - 1, "other cycle", "other cycles") +
               " through these sub-transactions");
    }
    if (cause.needs) line(2, TextStyle::plain, remedy(*cause.needs));
    if (cause.execution) print(cause, *cause.execution);
    text_ += '\n';
  }

  static std::string remedy(IsolationLevel needs) {
    return fmt::format("{} across services would remove it",
                       needs == IsolationLevel::serializable ? "only serializable functionalities"
                                                             : definition(needs).name);
  }

  void print(const SplitCause& cause, const FoundExecution& execution) {
    FoundCause found{.kind = cause.kind, .cores = {cause.cycles.front()}, .extensions = {}};
    found.execution = execution;
    line(2, TextStyle::plain, words_.status(found));
    if (execution.finding) text_ += "\n" + render_text(*execution.finding, options_);
  }

  void print_counts() {
    Counts kinds;
    Counts tables;
    Counts functionalities;
    for (const SplitCause& cause : report_.causes) {
      for (auto* counts :
           {&kinds[std::string(definition(cause.kind).name)], &tables[join(cause.tables, ", ")],
            &functionalities[functionalities_of(cause)]}) {
        counts->first += cause.is_core ? 1 : 0;
        ++counts->second;
      }
    }
    print_counts("kind", kinds);
    print_counts("tables", tables);
    print_counts("functionalities", functionalities);
    print_needs();
    print_merges();
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

  void print_counts(const std::string& what, const Counts& counts) {
    if (counts.empty()) return;
    Grid grid{.header = {what, "core", "all"}, .rows = {}};
    for (const auto& [name, count] : counts) {
      grid.rows.push_back({{{TextStyle::plain, printable(name)}},
                           {{TextStyle::plain, fmt::format("{}", count.first)}},
                           {{TextStyle::plain, fmt::format("{}", count.second)}}});
    }
    text_ += render_grid(grid, options_) + "\n";
  }

  void print_summary() {
    std::size_t cores = 0;
    for (const SplitCause& cause : report_.causes) cores += cause.is_core ? 1 : 0;
    const std::string bounds = fmt::format("cycles of up to {} operations", report_.max_length);
    line(0, TextStyle::plain,
         report_.causes.empty()
             ? "the cut adds nothing in " + bounds
             : fmt::format("the cut adds {}: {} and {}, in {}",
                           counted(report_.causes.size(), "cause", "causes"),
                           counted(cores, "core", "cores"),
                           counted(report_.causes.size() - cores, "extension", "extensions"),
                           bounds));
    if (report_.in_uncut > 0) {
      line(0, TextStyle::plain,
           fmt::format("{} that the uncut program has, too, {} left out",
                       counted(report_.in_uncut, "cycle", "cycles"),
                       report_.in_uncut == 1 ? "is" : "are"));
    }
    print_executions();
    if (!report_.bound.empty()) line(0, TextStyle::plain, "not complete: " + report_.bound);
  }

  void print_executions() {
    std::map<std::string, std::size_t> counts;
    for (const SplitCause& cause : report_.causes) {
      if (!cause.execution) continue;
      const bool is_open = cause.execution->status == FindingStatus::possible;
      ++counts[is_open && !cause.execution->was_run
                   ? "not executable"
                   : std::string(to_string(cause.execution->status))];
    }
    std::vector<std::string> parts;
    for (const auto& [what, count] : counts) parts.push_back(fmt::format("{} {}", count, what));
    if (!parts.empty()) line(0, TextStyle::plain, "of the cores " + join(parts, ", "));
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  const SplitReport& report_;
  TextOptions options_;
  CauseText words_;
  std::string text_;
};

}  // namespace

std::string render_text(const SplitReport& report, const TextOptions& options) {
  return SplitPrinter(report, options).print();
}

}  // namespace heddle

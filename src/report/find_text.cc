// The anomalies of a program for people: causes first, each with its shortest cycle as sentences,
// then which pairs of functionalities have which kinds.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/anomalies_json.h"
#include "report/layout.h"
#include "report/report.h"

namespace heddle {

namespace {

constexpr std::size_t kIndent = 4;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

class AnomalyPrinter {
 public:
  AnomalyPrinter(const FindReport& report, const Program& program, const TextOptions& options)
      : report_(report), program_(program), options_(options) {
    for (const Functionality& functionality : program.functionalities) {
      statements_.push_back(list_statements(functionality));
    }
  }

  std::string print() {
    print_levels();
    for (std::size_t i = 0; i < report_.causes.size(); ++i) print(report_.causes[i], i + 1);
    print_summary();
    return std::move(text_);
  }

 private:
  // One line where all have the same level.
  void print_levels() {
    std::map<std::string, std::vector<std::string>> by_level;
    for (std::size_t i = 0; i < report_.levels.size(); ++i) {
      const FunctionalityLevel& level = report_.levels[i];
      std::string text(definition(level.level).name);
      if (level.origin == LevelOrigin::stated) text += ", as the code says";
      if (level.origin == LevelOrigin::fallback) {
        text += ", because neither the code nor --isolation says otherwise";
      }
      by_level[text].push_back(program_.functionalities[i].name);
    }
    for (const auto& [level, names] : by_level) {
      line(0, TextStyle::plain,
           fmt::format("at {}{}", level, by_level.size() == 1 ? "" : ": " + join(names, ", ")));
    }
    text_ += '\n';
  }

  // "newOrder and payment", "payment twice", each functionality with its number of transactions.
  std::string transactions_of(const FoundCycle& cycle) const {
    std::map<std::size_t, std::set<std::size_t>> instances;
    for (const FoundNode& node : cycle.nodes) {
      instances[node.functionality].insert(node.instance);
    }
    std::vector<std::string> names;
    for (const auto& [functionality, of] : instances) {
      std::string name = program_.functionalities[functionality].name;
      if (of.size() == 2) name += " twice";
      if (of.size() > 2) name += fmt::format(" {} times", of.size());
      names.push_back(std::move(name));
    }
    return join(names, " and ");
  }

  static std::string tables_of(const FoundCycle& cycle) {
    std::set<std::string> tables;
    for (const FoundEdge& edge : cycle.edges) tables.insert(edge.table);
    return join(std::vector<std::string>(tables.begin(), tables.end()), ", ");
  }

  void print(const FoundCause& cause, std::size_t number) {
    const FoundCycle& cycle = cause.cores.front();
    line(0, TextStyle::heading,
         fmt::format("{}. {}: {}, on {}", number, definition(cause.kind).name,
                     transactions_of(cycle), tables_of(cycle)));
    print_statements(cycle);
    for (const FoundEdge& edge : cycle.edges)
      line(kIndent, TextStyle::plain, sentence(cycle, edge));
    std::vector<std::string> more;
    if (cause.cores.size() > 1) {
      more.push_back(counted(cause.cores.size() - 1, "other way", "other ways") +
                     " through these statements");
    }
    if (!cause.extensions.empty()) {
      more.push_back(counted(cause.extensions.size(), "longer cycle", "longer cycles") +
                     " around it");
    }
    if (!cycle.is_decided) more.emplace_back("the solver gave up: it may be impossible");
    std::string status = "possible";
    if (!more.empty()) status += "; " + join(more, ", ");
    line(2, TextStyle::plain, status);
    text_ += '\n';
  }

  // Each statement once, by transactions and in program order.
  void print_statements(const FoundCycle& cycle) {
    std::map<std::pair<std::size_t, std::size_t>, const FoundNode*> in_order;
    for (const FoundNode& node : cycle.nodes) in_order[{node.instance, node.statement}] = &node;
    for (const auto& [place, node] : in_order) {
      const ProgramStatement& statement = statement_of(*node);
      line(2, TextStyle::step,
           fmt::format("T{} {}  {}:{}: {}", node->instance + 1,
                       program_.functionalities[node->functionality].name, statement.source.file,
                       statement.source.position.line,
                       named_text(statement.statement.text, statement.arguments)));
    }
  }

  const ProgramStatement& statement_of(const FoundNode& node) const {
    return *statements_[node.functionality][node.statement].statement;
  }

  std::string place_of(const FoundNode& node) const {
    std::string place = fmt::format("line {}", statement_of(node).source.position.line);
    for (const std::size_t round : node.rounds) place += fmt::format(", round {}", round + 1);
    return place;
  }

  std::string sentence(const FoundCycle& cycle, const FoundEdge& edge) const {
    const FoundNode& from = cycle.nodes[edge.from];
    const FoundNode& to = cycle.nodes[edge.to];
    std::string what = edge.table;
    if (!edge.columns.empty() && edge.columns.size() <= 3) {
      what += fmt::format(" ({})", join(edge.columns, ", "));
    }
    const std::string first = fmt::format("T{} ({})", from.instance + 1, place_of(from));
    const std::string second = fmt::format("T{} ({})", to.instance + 1, place_of(to));
    switch (edge.kind) {
      case DependencyKind::rw:
        return edge.predicate
                   ? fmt::format("{} looks for rows of {} before {} makes one", first, edge.table,
                                 second)
                   : fmt::format("{} reads {} without what {} writes", first, what, second);
      case DependencyKind::wr:
        return fmt::format("{} writes {}, which {} reads", first, what, second);
      default:
        return fmt::format("{} writes {}, which {} overwrites", first, what, second);
    }
  }

  // Kinds by sets of functionalities.
  void print_summary() {
    std::map<std::string, std::map<AnomalyKind, std::size_t>> kinds;
    for (const FoundCause& cause : report_.causes) {
      ++kinds[transactions_of(cause.cores.front())][cause.kind];
    }
    for (const auto& [transactions, of] : kinds) {
      std::vector<std::string> counts;
      for (const auto& [kind, count] : of) {
        counts.push_back(fmt::format("{} {}", count, definition(kind).name));
      }
      line(0, TextStyle::plain, fmt::format("{}: {}", transactions, join(counts, ", ")));
    }
    if (!kinds.empty()) text_ += '\n';
    std::size_t cores = 0;
    std::size_t extensions = 0;
    for (const FoundCause& cause : report_.causes) {
      cores += cause.cores.size();
      extensions += cause.extensions.size();
    }
    const std::string bounds = fmt::format("cycles of up to {} operations", report_.max_length);
    line(0, TextStyle::plain,
         report_.causes.empty()
             ? fmt::format("nothing found in {}", bounds)
             : fmt::format("{} with {} and {}, in {}",
                           counted(report_.causes.size(), "cause", "causes"),
                           counted(cores, "smallest cycle", "smallest cycles"),
                           counted(extensions, "longer one", "longer ones"), bounds));
    if (!report_.bound.empty()) line(0, TextStyle::plain, "not complete: " + report_.bound);
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  const FindReport& report_;
  const Program& program_;
  TextOptions options_;
  std::vector<std::vector<ListedStatement>> statements_;
  std::string text_;
};

}  // namespace

std::string render_text(const FindReport& report, const Program& program,
                        const TextOptions& options) {
  return AnomalyPrinter(report, program, options).print();
}

std::string render_json(const FindReport& report, const Program& program) {
  return to_json(report, program);
}

}  // namespace heddle

// The anomalies of a program for people: causes first, each with its shortest cycle as sentences,
// then which pairs of functionalities have which kinds.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/anomalies_json.h"
#include "report/cause_text.h"
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
      : report_(report), program_(program), options_(options), words_(program) {}

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
    if (!report_.constraints.empty()) {
      line(0, TextStyle::plain, "with the constraints of " + report_.constraints);
    }
    text_ += '\n';
  }

  void print(const FoundCause& cause, std::size_t number) {
    const FoundCycle& cycle = cause.cores.front();
    line(0, TextStyle::heading, fmt::format("{}. {}", number, words_.title(cause)));
    for (const FoundNode& node : nodes_in_order(cycle)) {
      const SourceLocation& source = words_.statement(node).source;
      line(2, TextStyle::step,
           fmt::format("T{} {}  {}:{}: {}", node.instance + 1, words_.name(node.functionality),
                       source.file, source.position.line, words_.statement_text(node)));
    }
    for (const FoundEdge& edge : cycle.edges) {
      line(kIndent, TextStyle::plain, words_.sentence(cycle, edge));
    }
    std::vector<std::string> more = {words_.status(cause)};
    if (cause.cores.size() > 1) {
      more.push_back(counted(cause.cores.size() - 1, "other way", "other ways") +
                     " through these statements");
    }
    if (!cause.extensions.empty()) {
      more.push_back(counted(cause.extensions.size(), "longer cycle", "longer cycles") +
                     " around it");
    }
    if (!cycle.is_decided) more.emplace_back("the solver gave up: it may be impossible");
    line(2, TextStyle::plain, join(more, "; "));
    if (cause.execution) print(*cause.execution);
    text_ += '\n';
  }

  void print(const FoundExecution& execution) {
    std::set<std::string> elsewhere;
    for (const FoundBreak& further : execution.further) {
      elsewhere.insert(further.invariants.begin(), further.invariants.end());
    }
    for (const std::string& name : execution.broken_invariants) {
      line(2, TextStyle::plain,
           fmt::format("breaks the invariant \"{}\"{}", name,
                       elsewhere.contains(name) ? ", in a further run" : ""));
    }
    if (execution.finding) text_ += "\n" + render_text(*execution.finding, options_);
    for (const FoundBreak& further : execution.further) {
      text_ += '\n';
      for (const std::string& name : further.invariants) {
        line(2, TextStyle::plain,
             fmt::format("the further run that breaks the invariant \"{}\":", name));
      }
      text_ += "\n" + render_text(further.finding, options_);
    }
  }

  using KindCounts = std::map<std::string, std::map<AnomalyKind, std::size_t>>;

  // As a table, or in lines where there are too many kinds for one.
  void print_kinds(const KindCounts& counts) {
    constexpr std::size_t kNames = 30;
    constexpr std::size_t kColumn = 16;
    std::set<AnomalyKind> kinds;
    for (const auto& [transactions, of] : counts) {
      for (const auto& [kind, count] : of) kinds.insert(kind);
    }
    if (kNames + kColumn * kinds.size() > options_.width) {
      for (const auto& [transactions, of] : counts) {
        std::vector<std::string> parts;
        for (const auto& [kind, count] : of) {
          parts.push_back(fmt::format("{} {}", count, definition(kind).name));
        }
        line(0, TextStyle::plain, fmt::format("{}: {}", transactions, join(parts, ", ")));
      }
      return;
    }
    Grid grid{.header = {"causes"}, .rows = {}};
    for (const AnomalyKind kind : kinds) grid.header.emplace_back(definition(kind).name);
    for (const auto& [transactions, of] : counts) {
      std::vector<StyledCell> row = {{{TextStyle::plain, printable(transactions)}}};
      for (const AnomalyKind kind : kinds) {
        const auto count = of.find(kind);
        row.push_back({{TextStyle::plain,
                        count == of.end() ? std::string() : fmt::format("{}", count->second)}});
      }
      grid.rows.push_back(std::move(row));
    }
    text_ += render_grid(grid, options_);
  }

  // Kinds by sets of functionalities.
  void print_summary() {
    KindCounts kinds;
    for (const FoundCause& cause : report_.causes) {
      ++kinds[words_.transactions(cause.cores.front())][cause.kind];
    }
    if (!kinds.empty()) print_kinds(kinds);
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
    print_executions();
    if (!report_.bound.empty()) line(0, TextStyle::plain, "not complete: " + report_.bound);
  }

  // How many of the causes were confirmed.
  void print_executions() {
    std::map<std::string, std::size_t> counts;
    for (const FoundCause& cause : report_.causes) {
      if (!cause.execution) continue;
      const bool is_open = cause.execution->status == FindingStatus::possible;
      std::string what(is_open && !cause.execution->was_run
                           ? "not executable"
                           : std::string(to_string(cause.execution->status)));
      if (const auto& finding = cause.execution->finding) {
        what += fmt::format(" ({})", to_string(finding->effect));
      } else if (!is_open && !cause.execution->was_run) {
        what += " without a run";
      }
      ++counts[what];
    }
    std::vector<std::string> parts;
    for (const auto& [what, count] : counts) parts.push_back(fmt::format("{} {}", count, what));
    if (!parts.empty()) line(0, TextStyle::plain, join(parts, ", "));
    print_program_runs();
    std::map<std::string, std::vector<std::string>> breakers;
    for (std::size_t i = 0; i < report_.causes.size(); ++i) {
      for (const std::string& name : broken_invariants(report_.causes[i])) {
        breakers[name].push_back(fmt::format("{}", i + 1));
      }
    }
    for (const auto& [name, causes] : breakers) {
      line(0, TextStyle::plain,
           fmt::format("the invariant \"{}\" is broken by {}", name, join(causes, ", ")));
    }
  }

  // How many of those the program itself confirms.
  void print_program_runs() {
    std::size_t tried = 0;
    std::size_t confirmed = 0;
    for (const FoundCause& cause : report_.causes) {
      if (!cause.execution || !cause.execution->by_program) continue;
      ++tried;
      if (cause.execution->by_program->is_confirmed) ++confirmed;
    }
    if (tried == 0) return;
    line(0, TextStyle::plain,
         fmt::format("of the {} confirmed, {} by the program itself", tried, confirmed));
  }

  static std::vector<std::string> broken_invariants(const FoundCause& cause) {
    return cause.execution ? cause.execution->broken_invariants : std::vector<std::string>{};
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  const FindReport& report_;
  const Program& program_;
  TextOptions options_;
  CauseText words_;
  std::string text_;
};

}  // namespace

std::string render_text(const FindReport& report, const Program& program,
                        const TextOptions& options) {
  return AnomalyPrinter(report, program, options).print();
}

std::string render_json(const FindReport& report, const Program& program,
                        const ProgramRepairReport* repairs) {
  return to_json(report, program, repairs);
}

}  // namespace heddle

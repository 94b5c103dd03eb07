// The statements of a program for people.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/program_json.h"
#include "program/redis_commands.h"
#include "report/find/find_reports.h"
#include "report/text/coverage_text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kIndent = 4;

std::string columns_of(const TableUse& use, const std::vector<std::string>& columns) {
  std::string name = use.schema.empty() ? use.table : use.schema + "." + use.table;
  if (columns.empty()) return name;
  if (columns.size() == 1 && columns[0] == "*") return name + " (all columns)";
  return fmt::format("{} ({})", name, join(columns, ", "));
}

class StatementPrinter {
 public:
  explicit StatementPrinter(const TextOptions& options) : options_(options) {}

  std::string print(const Program& program) {
    for (const Functionality& functionality : program.functionalities) print(functionality);
    text_ += fmt::format("{} in {}, {} of them read exactly\n", counted(statements_, "statement"),
                         counted(program.functionalities.size(), "functionality"), exact_);
    if (!is_complete(program.coverage) || count_excluded(program.coverage) > 0) {
      text_ += render_coverage(program.coverage, options_);
    }
    return std::move(text_);
  }

 private:
  static std::string counted(std::size_t count, const std::string& word) {
    if (count == 1) return "1 " + word;
    const bool is_y = word.ends_with('y');
    return fmt::format("{} {}", count, is_y ? word.substr(0, word.size() - 1) + "ies" : word + "s");
  }

  void print(const Functionality& functionality) {
    line(0, TextStyle::heading,
         fmt::format("{}  {}:{}", functionality.name, functionality.source.file,
                     functionality.source.position.line));
    if (!functionality.states_boundaries) {
      line(2, TextStyle::plain, "one transaction: it has no COMMIT and no ROLLBACK");
    }
    for (const ListedStatement& listed : list_statements(functionality)) print(listed);
    text_ += '\n';
  }

  void print(const ListedStatement& listed) {
    const ProgramStatement& statement = *listed.statement;
    ++statements_;
    if (statement.approximated.empty()) ++exact_;
    line(2, TextStyle::step,
         fmt::format("line {}: {}", statement.source.position.line,
                     program::shown_statement(statement)));
    if (!statement.store.empty()) fact("store", statement.store);
    fact("kind", std::string(to_string(statement.statement.kind)));
    for (const TableUse& use : statement.statement.tables) {
      if (use.read) fact("reads", columns_of(use, use.columns_read));
      if (use.written) fact("writes", columns_of(use, use.columns_written));
      const std::string locks = std::string(to_string(use.locking));
      if (!locks.empty()) fact("locks", use.table + " " + locks);
    }
    fact("where", named_text(statement.statement.predicate, statement.arguments));
    for (const Guard& guard : listed.guards) {
      fact(guard.holds ? "if" : "if not",
           fmt::format("{} (line {})", print_expression(guard.condition),
                       guard.source.position.line));
    }
    if (listed.loops > 0) fact("in", counted(listed.loops, "loop"));
    for (const std::string& construct : statement.approximated) fact("approximated", construct);
  }

  void fact(const std::string& name, const std::string& what) {
    if (!what.empty()) line(kIndent, TextStyle::plain, name + " " + what);
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  TextOptions options_;
  std::string text_;
  std::size_t statements_ = 0;
  std::size_t exact_ = 0;
};

}  // namespace

std::string render_text(const Program& program, const TextOptions& options) {
  return StatementPrinter(options).print(program);
}

std::string render_json(const Program& program) { return to_json(program); }

}  // namespace heddle

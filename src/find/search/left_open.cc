// A list of what is said exactly, not of what is not: a statement that nobody has thought of is
// left open. Statements on one table, whose predicate compares its columns with values of the
// client, are said exactly, and bodies without loops and without recovery from errors. Values that
// are computed in other ways than by adding whole numbers are any values in such a formula
// (Reading::cautious), and need not be refused here.
#include "find/search/left_open.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "find/values/solution_texts.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/value_type.h"
#include "program/observed.h"
#include "program/visit.h"

namespace heddle::find {

namespace {

struct Words {
  std::string_view word;
  std::string_view meaning;
};

// What may stand in the text of a statement and changes which rows it means, or how often.
constexpr std::array kOpenWords = {Words{"join", "a join"},
                                   Words{"group", "GROUP BY"},
                                   Words{"having", "HAVING"},
                                   Words{"distinct", "DISTINCT"},
                                   Words{"union", "UNION"},
                                   Words{"intersect", "INTERSECT"},
                                   Words{"except", "EXCEPT"},
                                   Words{"limit", "LIMIT"},
                                   Words{"offset", "OFFSET"},
                                   Words{"fetch", "FETCH"},
                                   Words{"with", "WITH"},
                                   Words{"window", "a window"},
                                   Words{"over", "a window"},
                                   Words{"exists", "EXISTS"},
                                   Words{"lateral", "LATERAL"},
                                   Words{"tablesample", "TABLESAMPLE"},
                                   Words{"any", "ANY"},
                                   Words{"all", "ALL"},
                                   Words{"some", "SOME"},
                                   Words{"conflict", "ON CONFLICT"},
                                   Words{"duplicate", "ON DUPLICATE KEY"},
                                   Words{"ignore", "IGNORE"},
                                   Words{"replace", "REPLACE"},
                                   Words{"merge", "MERGE"},
                                   Words{"using", "USING"},
                                   Words{"only", "ONLY"},
                                   Words{"skip", "SKIP LOCKED"},
                                   Words{"nowait", "NOWAIT"},
                                   Words{"top", "TOP"},
                                   Words{"collate", "COLLATE"},
                                   Words{"current", "CURRENT OF"}};

bool is_data_statement(StatementKind kind) {
  return kind == StatementKind::select || kind == StatementKind::insert ||
         kind == StatementKind::update || kind == StatementKind::delete_;
}

bool begins_or_ends(StatementKind kind) {
  return kind == StatementKind::begin || kind == StatementKind::commit ||
         kind == StatementKind::set_transaction;
}

// Whether the store and every client see the same values as equal.
bool is_compared_alike(const TableColumn& column, Dialect dialect) {
  const ValueType type = column.type.type;
  if (is_integer(type) || type == ValueType::boolean || type == ValueType::numeric) return true;
  if (dialect != Dialect::postgres) return false;  // collations, and NULL for what is too long
  return type == ValueType::text || type == ValueType::varying || type == ValueType::enumeration ||
         type == ValueType::uuid;
}

// One statement.
class OpenStatement {
 public:
  OpenStatement(const FormedStatement& formed, Dialect dialect, bool is_observed)
      : form_(formed.form),
        of_(*formed.statement),
        statement_(formed.statement->statement),
        dialect_(dialect),
        is_observed_(is_observed) {}

  // Empty: nothing.
  std::string what() const {
    if (begins_or_ends(form_.kind)) return "";
    if (form_.is_unknown || statement_.calls_unknown_function) return "code that nobody knows";
    if (of_.made_text) return "a statement that is put together while the program runs";
    if (!of_.approximated.empty() || !statement_.over_approximated.empty()) {
      return "a statement that was not read exactly";
    }
    if (!is_data_statement(form_.kind)) return "a statement that is not followed";
    if (std::string word = open_word(); !word.empty()) return word;
    if (std::string shape = open_shape(); !shape.empty()) return shape;
    return form_.sources.empty() ? "" : open_columns(form_.sources[0]);
  }

 private:
  std::string open_word() const {
    const sql::Tokens tokens(statement_.text);
    std::size_t queries = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string word = tokens.word(i);
      if (word == "select" || word == "values" || word == "table") ++queries;
      const auto found = std::ranges::find(kOpenWords, word, &Words::word);
      if (found != kOpenWords.end()) return std::string(found->meaning);
    }
    return queries > 1 ? "a subquery" : "";
  }

  std::string open_shape() const {
    if (form_.named_sources() > 1) return "several tables";
    if (form_.has(SourceRole::follows)) return "rows that go or change with others";
    if (form_.has(SourceRole::taken)) return "a unique key that changes";
    const bool sets_reference =
        form_.kind == StatementKind::update && form_.has(SourceRole::referred);
    if (sets_reference || std::ranges::any_of(form_.sources, &RowSource::is_deferred)) {
      return "a foreign key";
    }
    if (form_.is_aggregate || statement_.aggregate) return "an aggregate";
    if (statement_.limited || form_.takes_first) return "LIMIT";
    if (form_.on_conflict || form_.inserts_query) return "an INSERT of rows that nobody knows";
    const bool returns = statement_.returns_rows && form_.kind != StatementKind::select;
    if (returns && form_.kind != StatementKind::insert) return "RETURNING";
    if (is_observed_ && dialect_ != Dialect::postgres && form_.kind == StatementKind::update) {
      return "how many rows an UPDATE changes";
    }
    const auto has_unknown = [](const Expression& expression) {
      return mentions_unknown(expression);
    };
    if (std::ranges::any_of(form_.conjuncts, has_unknown)) return "a condition";
    if (form_.sources.empty()) return "";
    if (!statement_.predicate.empty() && !statement_.single_table_predicate) return "a condition";
    if (!statement_.predicate.empty() && form_.conjuncts.empty()) return "a condition";
    return "";
  }

  static bool mentions_unknown(const Expression& expression) {
    return expression.kind == ExpressionKind::unknown ||
           std::ranges::any_of(expression.operands, mentions_unknown);
  }

  std::string open_columns(const RowSource& source) const {
    if (source.table == nullptr) return "a table that no file defines";
    if (source.is_any_row) return "a condition";
    for (const auto* names : {&source.predicate_columns, &source.output_columns}) {
      for (const std::string& name : *names) {
        const TableColumn* column = find_column(*source.table, name, dialect_);
        if (column == nullptr) return "a column that no file defines";
        if (!is_compared_alike(*column, dialect_)) {
          return fmt::format("how the values of {}.{} compare", source.name, name);
        }
      }
    }
    return "";
  }

  const StatementForm& form_;
  const ProgramStatement& of_;
  const Statement& statement_;
  Dialect dialect_;
  bool is_observed_;
};

// The first of what the body does beside statements, one after the other, and branches.
std::string open_action(const Block& body) {
  for (const Action& action : body) {
    if (std::holds_alternative<Attempt>(action.what)) return "recovery from errors";
    const bool loops = std::holds_alternative<Loop>(action.what) ||
                       std::holds_alternative<CountLoop>(action.what) ||
                       std::holds_alternative<ElementLoop>(action.what) ||
                       std::holds_alternative<RowLoop>(action.what);
    if (loops) return "a loop, which may have more rounds than are followed";
    const bool fetches = std::holds_alternative<OpenRows>(action.what) ||
                         std::holds_alternative<FetchRow>(action.what);
    if (fetches) return "rows that are fetched one by one";
    if (const auto* branch = std::get_if<Branch>(&action.what)) {
      for (const Block* block : {&branch->then, &branch->otherwise}) {
        if (std::string open = open_action(*block); !open.empty()) return open;
      }
    }
  }
  return "";
}

}  // namespace

std::string left_open(const SearchInput& input, std::size_t functionality) {
  const Functionality& of = input.program.functionalities[functionality];
  const Prepared& prepared = input.prepared[functionality];
  constexpr std::size_t kMostStatements = 200;
  if (prepared.statements.size() > kMostStatements) return of.name + ", which is too long";
  if (std::string action = open_action(of.body); !action.empty()) {
    return fmt::format("{} in {}", action, of.name);
  }
  const std::set<const ProgramStatement*> observed = program::observed_statements(of);
  for (const FormedStatement& formed : prepared.statements) {
    const OpenStatement statement(formed, input.program.schema.dialect,
                                  observed.contains(formed.statement));
    const std::string what = statement.what();
    if (what.empty()) continue;
    const SourceLocation& source = formed.statement->source;
    return fmt::format("{} ({}:{})", what, source.file, source.position.line);
  }
  return "";
}

}  // namespace heddle::find

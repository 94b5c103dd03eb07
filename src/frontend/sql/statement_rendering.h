// Statements as short text, for tests: one line per table, condition, value and output column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "heddle/statement.h"

namespace heddle::sql {

// A row of a table of tests.
struct StatementCase {
  std::string_view sql;
  std::string_view expected;
};

inline std::string render_table(const TableUse& use) {
  std::string text = "  table " + (use.schema.empty() ? "" : use.schema + ".") + use.table;
  if (!use.alias.empty()) text += " as " + use.alias;
  if (use.read) text += " reads(" + join(use.columns_read, ",") + ")";
  if (!use.read && !use.columns_read.empty())
    text += " mentions(" + join(use.columns_read, ",") + ")";
  if (use.written) text += " writes(" + join(use.columns_written, ",") + ")";
  for (const std::string_view word : {to_string(use.locking), to_string(use.wait_policy)}) {
    if (!word.empty()) text += " " + std::string(word);
  }
  if (use.may_be_missing) text += " may-be-missing";
  if (!use.join_condition.empty()) text += " joined-by(" + use.join_condition + ")";
  return text + "\n";
}

inline std::string render_fed_by(const std::vector<std::string>& columns, bool generated) {
  return (columns.empty() ? "" : " <- " + join(columns, ",")) + (generated ? " generated" : "");
}

inline std::string render_flags(const Statement& statement) {
  std::string text;
  if (statement.returns_rows) text += " returns";
  if (statement.ordered) text += " ordered";
  if (statement.limited) text += " limited";
  if (statement.aggregate) text += " aggregate";
  if (statement.result_rows == ResultRows::one) text += " one-row";
  if (statement.result_rows == ResultRows::groups) text += " groups";
  if (statement.drops_rows) text += " drops-rows";
  if (statement.on_conflict) text += " on-conflict";
  if (statement.single_table_predicate) text += " row-by-row";
  if (statement.calls_unknown_function) text += " unknown-code";
  if (statement.isolation) text += " isolation=" + *statement.isolation;
  if (statement.read_only) text += *statement.read_only ? " read-only" : " read-write";
  if (statement.deferrable) text += *statement.deferrable ? " deferrable" : " not-deferrable";
  return text;
}

inline std::string render_statement(const Statement& statement) {
  std::string text = std::string(to_string(statement.kind)) + render_flags(statement) + "\n";
  for (const TableUse& use : statement.tables) text += render_table(use);
  if (!statement.predicate.empty() || !statement.predicate_columns.empty()) {
    text +=
        "  where " + statement.predicate + render_fed_by(statement.predicate_columns, false) + "\n";
  }
  if (statement.filter != statement.predicate) text += "  filter " + statement.filter + "\n";
  for (const WrittenValue& value : statement.values) {
    std::string column = value.column.empty() ? "#" + std::to_string(value.position) : value.column;
    text += "  set " + value.table + "." + column + " = " + value.expression +
            render_fed_by(value.columns_read, value.generated) + "\n";
  }
  for (const OutputColumn& column : statement.output) {
    text += "  out " + (column.name.empty() ? "" : column.name + ": ") + column.expression +
            render_fed_by(column.columns_read, column.generated) +
            (column.is_count ? " count" : "") + "\n";
  }
  if (!statement.functions.empty()) text += "  calls " + join(statement.functions, ",") + "\n";
  for (const std::string& note : statement.over_approximated) text += "  note " + note + "\n";
  return text;
}

// Fragments of SQL in a statement must be SQL themselves. The first that is not, or empty.
inline std::string unreadable_fragment(const Statement& statement) {
  std::vector<std::string> fragments = {"SELECT 1 WHERE " + statement.predicate};
  if (statement.predicate.empty()) fragments.clear();
  for (const WrittenValue& value : statement.values) {
    if (!equal_ignoring_case(value.expression, "default")) {
      fragments.push_back("SELECT " + value.expression);
    }
  }
  for (const OutputColumn& column : statement.output) {
    fragments.push_back("SELECT " + column.expression);
  }
  for (const std::string& fragment : fragments) {
    Result<std::vector<Statement>> read = parse_statements(fragment, Dialect::postgres);
    if (!read || read->size() != 1) return fragment;
  }
  return {};
}

// All statements of a text, or its error.
inline std::string render_sql(std::string_view sql, Dialect dialect) {
  Result<std::vector<Statement>> statements = parse_statements(sql, dialect);
  if (!statements) {
    const Diagnostic& error = statements.error();
    return std::to_string(error.position.line) + ":" + std::to_string(error.position.column) +
           ": " + error.what + "\n";
  }
  std::string text;
  for (const Statement& statement : *statements) {
    text += render_statement(statement);
    std::string fragment = unreadable_fragment(statement);
    if (!fragment.empty()) text += "  unreadable " + fragment + "\n";
  }
  return text;
}

}  // namespace heddle::sql

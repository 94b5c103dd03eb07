#include "split/row_queries.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::chopping {

namespace {

// The first token of that word outside of parentheses; tokens.size(): there is none.
std::size_t clause_at(const sql::Tokens& tokens, std::string_view word, std::size_t from = 0) {
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (tokens[i].depth == 0 && tokens.word(i) == word) return i;
  }
  return tokens.size();
}

// Where what an INSERT does about a row in its way begins, or what the statement returns.
std::size_t end_of_rows(const sql::Tokens& tokens, std::size_t from) {
  for (std::size_t i = from; i < tokens.size(); ++i) {
    if (tokens[i].depth > 0) continue;
    const std::string word = tokens.word(i);
    const std::string next = tokens.word(i + 1);
    if (word == "returning") return i;
    if (word == "on" && (next == "conflict" || next == "duplicate")) return i;
  }
  return tokens.size();
}

bool is_name(const sql::Token& token) {
  return token.kind == sql::TokenKind::word || token.kind == sql::TokenKind::quoted_name;
}

}  // namespace

std::optional<std::string> inserted_rows(const Statement& statement) {
  const sql::Tokens tokens(statement.text);
  if (tokens.word(0) != "insert") return std::nullopt;
  const std::size_t select = clause_at(tokens, "select");
  const std::size_t begin = std::min(select, clause_at(tokens, "with"));
  const std::size_t end = end_of_rows(tokens, begin);
  if (select >= end) return std::nullopt;
  return std::string(tokens.text(begin, end));
}

std::vector<std::string> inserted_columns(const Statement& statement, const Table& table) {
  const sql::Tokens tokens(statement.text);
  std::size_t at = clause_at(tokens, "into") + 1;
  while (at < tokens.size() && (is_name(tokens[at]) || tokens.is_symbol(at, '.'))) {
    const std::string word = tokens.word(at);
    if (word == "select" || word == "values" || word == "with" || word == "default") break;
    ++at;
  }
  std::vector<std::string> columns;
  if (tokens.is_symbol(at, '(') && tokens.word(at + 1) != "select") {
    for (++at; at < tokens.size() && !tokens.is_symbol(at, ')'); ++at) {
      if (!is_name(tokens[at])) continue;
      const std::string word = tokens.word(at);
      std::string name = word.empty() ? std::string(tokens.text(at)) : word;
      std::erase(name, '"');
      columns.push_back(std::move(name));
    }
    return columns;
  }
  for (const TableColumn& column : table.columns) columns.push_back(column.name);
  return columns;
}

std::optional<std::string> changed_rows(const Statement& statement,
                                        const std::vector<std::string>& values) {
  const sql::Tokens tokens(statement.text);
  const bool is_update = tokens.word(0) == "update";
  const bool is_delete = tokens.word(0) == "delete" && tokens.word(1) == "from";
  if (!is_update && !is_delete) return std::nullopt;
  const std::size_t end = end_of_rows(tokens, 0);
  const std::size_t begin = is_update ? 1 : 2;
  const std::size_t set = is_update ? clause_at(tokens, "set") : begin;
  const std::size_t where = std::min(clause_at(tokens, "where", set), end);
  const std::size_t others = std::min(clause_at(tokens, is_update ? "from" : "using", set), where);
  if (set >= end || tokens.word(where + 1) == "current") return std::nullopt;
  const std::size_t target_end = is_update ? set : others;
  std::string from(tokens.text(begin, target_end));
  if (others < where) from += fmt::format(", {}", tokens.text(others + 1, where));
  std::string text = fmt::format("SELECT {} FROM {}", join(values, ", "), from);
  if (where < end) text += fmt::format(" {}", tokens.text(where, end));
  return text;
}

const std::string* written_text(const Statement& statement, const Table& table,
                                const std::string& column, std::size_t row) {
  const bool is_insert = statement.kind == StatementKind::insert;
  for (const WrittenValue& value : statement.values) {
    if (value.on_conflict || value.generated || (is_insert && value.row != row)) continue;
    const bool is_placed = value.column.empty() && value.position < table.columns.size();
    const std::string& name = is_placed ? table.columns[value.position].name : value.column;
    if (to_lower(name) == to_lower(column) && !value.expression.empty()) return &value.expression;
  }
  return nullptr;
}

}  // namespace heddle::chopping

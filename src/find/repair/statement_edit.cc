#include "find/repair/statement_edit.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/views/see_through.h"
#include "program/resolve.h"

namespace heddle::find {

namespace {

// The tokens between SELECT and FROM, split at commas: where each begins and the last ends.
std::optional<std::vector<std::size_t>> list_borders(const sql::Tokens& tokens) {
  if (tokens.word(0) != "select") return std::nullopt;
  std::vector<std::size_t> borders = {1};
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].depth > 0) continue;
    const std::string word = tokens.word(i);
    if (word == "distinct" && i == 1) return std::nullopt;
    if (tokens.is_symbol(i, ',')) borders.push_back(i + 1);
    // IS DISTINCT FROM is an operator.
    if (word != "from" || tokens.word(i - 1) == "distinct") continue;
    borders.push_back(i);
    return borders;
  }
  return std::nullopt;
}

}  // namespace

bool change_text(ProgramStatement& statement, const std::string& text, const Schema& schema) {
  Result<std::vector<Statement>> read = parse_statements(text, schema.dialect);
  if (!read || read->size() != 1) return false;
  const SourcePosition position = statement.statement.position;
  statement.statement = std::move(read->front());
  statement.statement.position = position;
  if (schema.dialect == Dialect::postgres) views::see_through(statement.statement, schema);
  program::resolve_columns(statement.statement, schema);
  return true;
}

std::string without_outputs(const Statement& select, const std::set<std::size_t>& dropped) {
  const sql::Tokens tokens(select.text);
  const auto borders = list_borders(tokens);
  if (!borders || borders->size() != select.output.size() + 1) return "";
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < select.output.size(); ++i) {
    if (dropped.contains(i)) continue;
    const bool is_last = i + 1 == select.output.size();
    const std::size_t end = (*borders)[i + 1] - (is_last ? 0 : 1);
    kept.emplace_back(trim(tokens.text((*borders)[i], end)));
  }
  if (kept.empty()) kept.emplace_back("1");
  return "SELECT " + join(kept, ", ") + " " + select.text.substr(tokens[borders->back()].offset);
}

bool takes_locking_clause(const Statement& select) {
  static constexpr std::array<std::string_view, 9> kRefused = {
      "union", "intersect", "except", "over", "left", "right", "full", "with", "having"};
  const sql::Tokens tokens(select.text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string word = tokens.word(i);
    // left(...) and right(...) are functions, too.
    const bool is_call = tokens.is_symbol(i + 1, '(');
    if (!is_call && std::ranges::find(kRefused, word) != kRefused.end()) return false;
    if (word == "for" && tokens[i].depth == 0) return false;
  }
  return tokens.word(0) == "select";
}

}  // namespace heddle::find

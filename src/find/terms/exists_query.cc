#include "find/terms/exists_query.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "frontend/sql/words/lexer.h"

namespace heddle::find {

namespace {

// The place of the word among the tokens of the inner query itself; `end`: it has none.
std::size_t find_word(const sql::Tokens& tokens, std::size_t begin, std::size_t end,
                      std::string_view word) {
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens[i].depth == tokens[begin].depth && tokens.word(i) == word) return i;
  }
  return end;
}

// What makes an inner query more than the rows of one table that meet a condition.
bool has_more(const sql::Tokens& tokens, std::size_t begin, std::size_t end) {
  static constexpr std::array<std::string_view, 9> kMore = {
      "select", "join", "group", "having", "union", "intersect", "except", "offset", "fetch"};
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (std::ranges::find(kMore, tokens.word(i)) != kMore.end()) return true;
  }
  return false;
}

}  // namespace

std::optional<Statement> as_count(const Statement& statement, Dialect dialect) {
  const sql::Tokens tokens(statement.text);
  const bool is_negated = tokens.word(1) == "not";
  const std::size_t exists = is_negated ? 2 : 1;
  const std::size_t open = exists + 1;
  const std::size_t inner = open + 1;
  const bool begins = statement.kind == StatementKind::select && tokens.size() > inner + 1 &&
                      tokens.word(0) == "select" && tokens.word(exists) == "exists" &&
                      tokens.is_symbol(open, '(') && tokens.word(inner) == "select";
  if (!begins) return std::nullopt;
  std::size_t close = inner;
  while (close < tokens.size() && tokens[close].depth >= tokens[inner].depth) ++close;
  // Behind it there may be nothing but a name for the column.
  const bool has_name = close + 3 == tokens.size() && tokens.word(close + 1) == "as";
  const bool ends = close < tokens.size() && (close + 1 == tokens.size() || has_name);
  if (!ends || has_more(tokens, inner, close)) return std::nullopt;
  const std::size_t from = find_word(tokens, inner, close, "from");
  // Whether there is a row does not hang on their order, nor on how many of them are looked at.
  const std::size_t rest =
      std::min(find_word(tokens, inner, close, "order"), find_word(tokens, inner, close, "limit"));
  const std::size_t limit = find_word(tokens, inner, close, "limit");
  const bool is_none = limit + 1 < close && tokens.text(limit + 1) == "0";
  if (from >= rest || is_none) return std::nullopt;
  const std::string text = fmt::format("SELECT count(*) {} 0 {}", is_negated ? "=" : ">",
                                       std::string(tokens.text(from, rest)));
  const Result<std::vector<Statement>> read = parse_statements(text, dialect);
  const bool is_one = read && read->size() == 1 && read->front().tables.size() == 1 &&
                      read->front().over_approximated.empty();
  if (!is_one) return std::nullopt;
  return read->front();
}

// INSERT INTO t (a) SELECT $1 WHERE NOT EXISTS (SELECT ... FROM t WHERE ...). A table of one row
// that MySQL has for such queries may stand in FROM.
std::optional<GuardedInsert> as_guarded_insert(const Statement& statement, Dialect dialect) {
  if (statement.kind != StatementKind::insert || statement.on_conflict) return std::nullopt;
  const sql::Tokens tokens(statement.text);
  const std::size_t select = find_word(tokens, 0, tokens.size(), "select");
  const std::size_t where = find_word(tokens, select, tokens.size(), "where");
  const std::size_t from = find_word(tokens, select, where, "from");
  const bool is_of_one_row =
      from == where || (from + 2 == where && tokens.word(from + 1) == "dual");
  const std::size_t inner = where + 4;
  const bool begins = inner + 1 < tokens.size() && tokens[select].depth == 0 && is_of_one_row &&
                      tokens.word(where + 1) == "not" && tokens.word(where + 2) == "exists" &&
                      tokens.is_symbol(where + 3, '(') && tokens.word(inner) == "select";
  if (!begins) return std::nullopt;
  std::size_t close = inner;
  while (close < tokens.size() && tokens[close].depth >= tokens[inner].depth) ++close;
  const bool ends = close + 1 == tokens.size() || tokens.word(close + 1) == "returning";
  if (close == tokens.size() || !ends) return std::nullopt;
  const std::string rest =
      close + 1 < tokens.size() ? " " + std::string(tokens.text(close + 1, tokens.size())) : "";
  const std::string row(tokens.text(select + 1, from));
  const std::string made = fmt::format("{} VALUES ({}){}", tokens.text(0, select), row, rest);
  const std::string asked = "SELECT " + std::string(tokens.text(where + 2, close + 1));
  const Result<std::vector<Statement>> insert = parse_statements(made, dialect);
  const Result<std::vector<Statement>> query = parse_statements(asked, dialect);
  if (!insert || insert->size() != 1 || !query || query->size() != 1) return std::nullopt;
  const std::optional<Statement> count = as_count(query->front(), dialect);
  const bool is_one_table = count && insert->front().tables.size() == 1 &&
                            insert->front().over_approximated.empty() &&
                            count->tables.front().table == insert->front().tables.front().table;
  if (!is_one_table) return std::nullopt;
  return GuardedInsert{.insert = insert->front(), .query = *count};
}

}  // namespace heddle::find

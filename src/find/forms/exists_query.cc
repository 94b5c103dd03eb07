#include "find/forms/exists_query.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "find/forms/statement_form.h"
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

namespace {

std::size_t end_of(const sql::Tokens& tokens, std::size_t inner) {
  std::size_t close = inner;
  while (close < tokens.size() && tokens[close].depth >= tokens[inner].depth) ++close;
  return close;
}

// Behind it there may be nothing but a name for the column.
bool ends_at(const sql::Tokens& tokens, std::size_t close) {
  const bool has_name = close + 3 == tokens.size() && tokens.word(close + 1) == "as";
  return close < tokens.size() && (close + 1 == tokens.size() || has_name);
}

// An inner query of one table: where its FROM is, and where what matters of it ends. Whether there
// is a row does not hang on their order, nor on how many of them are looked at.
struct InnerQuery {
  std::size_t from = 0;
  std::size_t end = 0;
};

std::optional<InnerQuery> inner_query(const sql::Tokens& tokens, std::size_t inner,
                                      std::size_t close) {
  if (has_more(tokens, inner, close)) return std::nullopt;
  const std::size_t from = find_word(tokens, inner, close, "from");
  const std::size_t limit = find_word(tokens, inner, close, "limit");
  const std::size_t end = std::min(find_word(tokens, inner, close, "order"), limit);
  const bool is_none = limit + 1 < close && tokens.text(limit + 1) == "0";
  if (from >= end || is_none) return std::nullopt;
  return InnerQuery{.from = from, .end = end};
}

// SELECT [NOT] EXISTS (SELECT ... FROM t WHERE ...)
std::string count_of_exists(const sql::Tokens& tokens) {
  const bool is_negated = tokens.word(1) == "not";
  const std::size_t exists = is_negated ? 2 : 1;
  const std::size_t open = exists + 1;
  const std::size_t inner = open + 1;
  const bool begins = tokens.size() > inner + 1 && tokens.word(exists) == "exists" &&
                      tokens.is_symbol(open, '(') && tokens.word(inner) == "select";
  if (!begins) return "";
  const std::size_t close = end_of(tokens, inner);
  const auto query = ends_at(tokens, close) ? inner_query(tokens, inner, close) : std::nullopt;
  if (!query) return "";
  return fmt::format("SELECT count(*) {} 0 {}", is_negated ? "=" : ">",
                     tokens.text(query->from, query->end));
}

// SELECT a [NOT] IN (SELECT b FROM t WHERE ...), as if nothing were null.
std::string count_of_membership(const sql::Tokens& tokens) {
  const std::size_t in = find_word(tokens, 0, tokens.size(), "in");
  const std::size_t inner = in + 2;
  const bool begins = inner + 3 < tokens.size() && in > 1 && tokens.is_symbol(in + 1, '(') &&
                      tokens.word(inner) == "select";
  if (!begins) return "";
  const bool is_negated = tokens.word(in - 1) == "not";
  const std::size_t close = end_of(tokens, inner);
  const auto query = ends_at(tokens, close) ? inner_query(tokens, inner, close) : std::nullopt;
  if (!query || query->end != close || query->from <= inner + 1) return "";
  for (std::size_t i = 1; i < query->from; ++i) {
    const bool is_boolean = i < in && (tokens.word(i) == "and" || tokens.word(i) == "or");
    if (is_boolean || tokens.is_symbol(i, ',')) return "";
  }
  const std::size_t where = find_word(tokens, inner, close, "where");
  const std::string condition =
      where + 1 < close ? fmt::format("({}) AND ", tokens.text(where + 1, close)) : "";
  return fmt::format("SELECT count(*) {} 0 {} WHERE {}({}) = ({})", is_negated ? "=" : ">",
                     tokens.text(query->from, where), condition,
                     tokens.text(inner + 1, query->from), tokens.text(1, is_negated ? in - 1 : in));
}

// A condition among those of a predicate: its first token, and where its inner query begins.
struct Found {
  std::size_t first = 0;
  std::size_t inner = 0;
  bool is_negated = false;
  std::string outer = {};  // empty: EXISTS
};

bool is_outermost(const sql::Tokens& tokens, std::size_t i, std::string_view word) {
  return tokens[i].depth == tokens[0].depth && tokens.word(i) == word;
}

// The token behind the AND before this one; that of a BETWEEN joins no conditions.
std::optional<std::size_t> begin_of_condition(const sql::Tokens& tokens, std::size_t at) {
  std::size_t first = at;
  while (first > 0 && !is_outermost(tokens, first - 1, "and")) --first;
  if (first == 0) return first;
  for (std::size_t before = first - 1; before > 0; --before) {
    if (is_outermost(tokens, before - 1, "and")) break;
    if (is_outermost(tokens, before - 1, "between")) return std::nullopt;
  }
  return first;
}

// The one whose word EXISTS or IN is there.
std::optional<Found> condition_at(const sql::Tokens& tokens, std::size_t at) {
  const bool is_exists = is_outermost(tokens, at, "exists");
  const bool begins = (is_exists || is_outermost(tokens, at, "in")) &&
                      tokens.is_symbol(at + 1, '(') && tokens.word(at + 2) == "select";
  if (!begins) return std::nullopt;
  const bool is_negated = at > 0 && tokens.word(at - 1) == "not";
  const std::size_t end = is_negated ? at - 1 : at;
  Found found{.first = end, .inner = at + 2, .is_negated = is_negated};
  if (is_exists) {
    if (end > 0 && tokens.word(end - 1) != "and") return std::nullopt;
    return found;
  }
  const auto first = begin_of_condition(tokens, end);
  if (!first || *first == end) return std::nullopt;
  for (std::size_t i = *first; i < end; ++i) {
    if (tokens.is_symbol(i, ',')) return std::nullopt;
  }
  found.first = *first;
  found.outer = std::string(tokens.text(*first, end));
  return found;
}

// SELECT [DISTINCT] inner FROM ...: the one value; empty: it is another form of query.
std::string value_of_query(const sql::Tokens& tokens, std::size_t inner, std::size_t close) {
  const std::size_t from = find_word(tokens, inner, close, "from");
  const std::size_t first = tokens.word(inner + 1) == "distinct" ? inner + 2 : inner + 1;
  const std::size_t limit = find_word(tokens, inner, close, "limit");
  if (first >= from || from == close || limit != close) return "";
  for (std::size_t i = first; i < from; ++i) {
    const bool is_more =
        tokens.is_symbol(i, ',') || tokens.is_symbol(i, '(') || tokens.is_symbol(i, '*');
    if (is_more || tokens.word(i) == "as") return "";
  }
  return std::string(tokens.text(first, from));
}

}  // namespace

std::optional<InnerQueryWords> inner_query_words(const sql::Tokens& tokens, std::size_t select,
                                                 std::size_t close) {
  const auto query = inner_query(tokens, select, close);
  if (!query) return std::nullopt;
  const std::size_t where = find_word(tokens, select, query->end, "where");
  std::size_t last = query->from + 1;  // of the table's name
  while (tokens.is_symbol(last + 1, '.')) last += 2;
  std::size_t alias = last;
  if (tokens.word(alias + 1) == "as") ++alias;
  if (alias + 1 < where) ++alias;
  if (alias + 1 != where || tokens.word(alias).empty()) return std::nullopt;
  InnerQueryWords words{.from = query->from,
                        .alias = tokens.word(alias),
                        .condition = "",
                        .is_ordered = query->end != close};
  if (where + 1 < query->end) words.condition = std::string(tokens.text(where + 1, query->end));
  return words;
}

std::optional<Statement> as_count(const Statement& statement, Dialect dialect) {
  const sql::Tokens tokens(statement.text);
  if (statement.kind != StatementKind::select || tokens.word(0) != "select") return std::nullopt;
  for (const auto& count : {count_of_exists, count_of_membership}) {
    const std::string text = count(tokens);
    if (text.empty()) continue;
    const Result<std::vector<Statement>> read = parse_statements(text, dialect);
    const bool is_one = read && read->size() == 1 && read->front().tables.size() == 1 &&
                        read->front().over_approximated.empty();
    if (is_one) return read->front();
  }
  return std::nullopt;
}

ExistsConditions exists_conditions(std::string_view predicate) {
  const sql::Tokens tokens(predicate);
  ExistsConditions result{.conditions = {}, .rest = std::string(predicate)};
  if (tokens.size() == 0 || find_word(tokens, 0, tokens.size(), "or") < tokens.size()) {
    return result;
  }
  std::string rest;
  std::size_t from = 0;  // of what is not in `rest` yet
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const std::optional<Found> found = condition_at(tokens, i);
    if (!found) continue;
    const std::size_t close = end_of(tokens, found->inner);
    const bool is_alone = close + 1 >= tokens.size() || tokens.word(close + 1) == "and";
    const auto words = is_alone ? inner_query_words(tokens, found->inner, close) : std::nullopt;
    if (!words) continue;
    ExistsCondition condition{
        .is_negated = found->is_negated, .alias = words->alias, .condition = words->condition};
    if (!found->outer.empty()) {
      condition.inner = value_of_query(tokens, found->inner, close);
      condition.outer = found->outer;
      if (condition.inner.empty()) continue;
    }
    const std::size_t first = found->first;
    if (first > from) rest += std::string(tokens.text(from, first));
    rest += " true ";
    from = close + 1;
    result.conditions.push_back(std::move(condition));
    i = close;
  }
  if (from < tokens.size()) rest += tokens.text(from, tokens.size());
  result.rest = rest;
  return result;
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

void stop_by_rows_of(const StatementForm& query, StatementForm& form) {
  RowSource& target = form.sources.edit(0);
  target.is_read = true;
  target.predicate_columns = query.sources[0].predicate_columns;
  form.conjuncts = query.conjuncts;
  form.on_conflict = form.keeps_existing = form.meets_other_key = form.is_stopped_by_rows = true;
  form.inserts_query = form.checks_keys = false;
}

}  // namespace heddle::find

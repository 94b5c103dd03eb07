#include "find/forms/first_row.h"

#include <cstddef>

#include "frontend/sql/words/lexer.h"

namespace heddle::find {

namespace {

// The first token of the outermost clause of that name; tokens.size(): there is none.
std::size_t find_clause(const sql::Tokens& tokens, std::string_view word) {
  for (std::size_t i = tokens.size(); i-- > 0;) {
    if (tokens[i].depth == 0 && tokens.word(i) == word) return i;
  }
  return tokens.size();
}

}  // namespace

namespace {

// What is between two tokens, cut at its commas.
std::vector<OrderText> orders_between(const sql::Tokens& tokens, std::size_t first,
                                      std::size_t end) {
  std::vector<OrderText> all;
  for (std::size_t i = first; i <= end; ++i) {
    const bool ends = i == end || (tokens[i].depth == 0 && tokens.is_symbol(i, ','));
    if (!ends) continue;
    const std::string last = tokens.word(i - 1);
    const bool has_direction = last == "asc" || last == "desc";
    all.push_back({.text = std::string(tokens.text(first, has_direction ? i - 1 : i)),
                   .descending = last == "desc"});
    first = i + 1;
  }
  return all;
}

}  // namespace

std::optional<std::vector<OrderText>> order_of_first_row(std::string_view query) {
  const sql::Tokens tokens(query);
  const std::size_t limit = find_clause(tokens, "limit");
  const std::size_t order = find_clause(tokens, "order");
  if (limit + 1 >= tokens.size() || tokens.text(limit + 1) != "1") return std::nullopt;
  if (find_clause(tokens, "offset") != tokens.size()) return std::nullopt;
  if (order >= limit) return std::vector<OrderText>();
  return orders_between(tokens, order + 2, limit);
}

std::optional<std::vector<OrderText>> order_of_rows(std::string_view query) {
  const sql::Tokens tokens(query);
  for (const std::string_view word : {"limit", "offset", "fetch", "union", "except", "intersect"}) {
    if (find_clause(tokens, word) != tokens.size()) return std::nullopt;
  }
  // What an inner query gives may be cut or chosen by anything.
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const std::string word = tokens.word(i);
    if (word == "select" || word == "values" || word == "tablesample") return std::nullopt;
  }
  const std::size_t order = find_clause(tokens, "order");
  if (order == tokens.size()) return std::vector<OrderText>();
  const std::size_t locks = find_clause(tokens, "for");
  const std::size_t end = locks > order ? locks : tokens.size();
  return orders_between(tokens, order + 2, end);
}

}  // namespace heddle::find

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

std::optional<std::vector<OrderText>> order_of_first_row(std::string_view query) {
  const sql::Tokens tokens(query);
  const std::size_t limit = find_clause(tokens, "limit");
  const std::size_t order = find_clause(tokens, "order");
  if (limit + 1 >= tokens.size() || tokens.text(limit + 1) != "1") return std::nullopt;
  if (find_clause(tokens, "offset") != tokens.size()) return std::nullopt;
  std::vector<OrderText> all;
  if (order >= limit) return all;
  std::size_t first = order + 2;
  for (std::size_t i = first; i <= limit; ++i) {
    const bool ends = i == limit || (tokens[i].depth == 0 && tokens.is_symbol(i, ','));
    if (!ends) continue;
    const std::string last = tokens.word(i - 1);
    const bool has_direction = last == "asc" || last == "desc";
    all.push_back({.text = std::string(tokens.text(first, has_direction ? i - 1 : i)),
                   .descending = last == "desc"});
    first = i + 1;
  }
  return all;
}

}  // namespace heddle::find

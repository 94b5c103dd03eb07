#include "frontend/sql/clause_text.h"

#include <algorithm>
#include <array>

namespace heddle::sql {
namespace {

// Reserved words that end an expression when they stand outside its parentheses. Those that double
// as functions end none when a parenthesis follows.
constexpr std::array<std::string_view, 28> kClauseWords = {
    "where",   "from",  "group", "having", "window", "union", "intersect",
    "except",  "order", "limit", "offset", "fetch",  "for",   "returning",
    "on",      "join",  "left",  "right",  "full",   "inner", "cross",
    "natural", "using", "into",  "do",     "when",   "then",  "as"};

// Words of the table that are part of an expression after another word: IS DISTINCT FROM.
struct Exception {
  std::string_view previous;
  std::string_view word;
};
constexpr Exception kExceptions[] = {
    {"distinct", "from"}, {"within", "group"}, {"collation", "for"}};

bool ends_expression(const Tokens& tokens, std::size_t index) {
  std::string word = tokens.word(index);
  if (word.empty()) return false;
  if (std::find(kClauseWords.begin(), kClauseWords.end(), word) == kClauseWords.end()) return false;
  bool is_function = (word == "left" || word == "right") && tokens.is_symbol(index + 1, '(');
  if (is_function || (index > 0 && tokens.is_symbol(index - 1, '.'))) return false;
  std::string previous = index > 0 ? tokens.word(index - 1) : std::string();
  return std::none_of(std::begin(kExceptions), std::end(kExceptions), [&](const Exception& one) {
    return one.word == word && one.previous == previous;
  });
}

// The token after the expression that begins at token `begin`. WHEN and THEN of a CASE are its own.
std::size_t end_of_expression(const Tokens& tokens, std::size_t begin) {
  if (begin >= tokens.size()) return begin;
  std::uint32_t depth = tokens[begin].depth;
  std::size_t cases = 0;
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    if (tokens[i].depth > depth) continue;
    if (tokens[i].depth < depth) return i;
    if (tokens.is_symbol(i, ',') || tokens.is_symbol(i, ';')) return i;
    bool closes = tokens.is_symbol(i, ')') || tokens.is_symbol(i, ']');
    if (closes && i == begin) return i;
    bool is_field = i > begin && tokens.is_symbol(i - 1, '.');
    std::string word = is_field ? std::string() : tokens.word(i);
    if (word == "case") ++cases;
    if (word == "end" && cases > 0) --cases;
    if (cases == 0 && ends_expression(tokens, i)) return i;
  }
  return tokens.size();
}

}  // namespace

std::string condition_text(const Tokens& tokens, std::string_view keyword, std::size_t inside) {
  if (inside == kNoOffset) return {};
  for (std::size_t i = std::min(tokens.index_at(inside), tokens.size()); i-- > 0;) {
    if (tokens.word(i) != keyword) continue;
    return std::string(tokens.text(i + 1, end_of_expression(tokens, i + 1)));
  }
  return {};
}

std::string listed_expression(const Tokens& tokens, std::size_t location, bool has_bare_alias) {
  if (location == kNoOffset) return {};
  std::size_t begin = tokens.index_at(location);
  std::size_t end = end_of_expression(tokens, begin);
  bool has_as = tokens.word(end) == "as";
  if (has_bare_alias && !has_as && end > begin + 1) --end;
  return std::string(tokens.text(begin, end));
}

std::string assigned_expression(const Tokens& tokens, std::size_t location) {
  if (location == kNoOffset) return {};
  std::size_t begin = tokens.index_at(location);
  if (begin >= tokens.size()) return {};
  std::uint32_t depth = tokens[begin].depth;
  for (std::size_t i = begin; i < tokens.size(); ++i) {
    if (tokens[i].depth > depth || !tokens.is_symbol(i, '=')) continue;
    return std::string(tokens.text(i + 1, end_of_expression(tokens, i + 1)));
  }
  return {};
}

std::vector<std::string> split_row(std::string_view text) {
  Tokens tokens(text);
  std::size_t open = tokens.word(0) == "row" ? 1 : 0;
  if (!tokens.is_symbol(open, '(')) return {};
  std::vector<std::string> parts;
  for (std::size_t i = open + 1; i < tokens.size();) {
    std::size_t end = i;
    while (end < tokens.size() && !(tokens[end].depth == 1 && tokens.is_symbol(end, ',')) &&
           tokens[end].depth >= 1) {
      ++end;
    }
    parts.emplace_back(tokens.text(i, end));
    if (!tokens.is_symbol(end, ',')) break;
    i = end + 1;
  }
  return parts;
}

std::vector<std::vector<std::string>> value_rows(const Tokens& tokens, std::size_t inside) {
  std::vector<std::vector<std::string>> rows;
  if (inside == kNoOffset) return rows;
  std::size_t at = std::min(tokens.index_at(inside), tokens.size());
  while (at > 0 && tokens.word(at - 1) != "values") --at;
  if (at == 0) return rows;
  while (tokens.is_symbol(at, '(')) {
    std::size_t end = at + 1;
    while (end < tokens.size() && tokens[end].depth > tokens[at].depth) ++end;
    rows.push_back(split_row(tokens.text(at, std::min(end + 1, tokens.size()))));
    at = end + 1;
    if (!tokens.is_symbol(at, ',')) break;
    ++at;
  }
  return rows;
}

}  // namespace heddle::sql

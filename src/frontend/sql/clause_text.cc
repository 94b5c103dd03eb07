#include "frontend/sql/clause_text.h"

#include <algorithm>

#include "base/text.h"

namespace heddle::sql {
namespace {

// Reserved words that end an expression where an operator could stand. Many are names where an
// operand is expected (left(x, 2), t.limit) and aliases.
constexpr std::string_view kClauseWords[] = {
    "where",   "from",  "group", "having", "window", "union", "intersect",
    "except",  "order", "limit", "offset", "fetch",  "for",   "returning",
    "on",      "join",  "left",  "right",  "full",   "inner", "cross",
    "natural", "using", "into",  "do",     "when",   "then",  "as"};

// Words before an operand: where an operand is expected, it still is after these.
constexpr std::string_view kPrefixWords[] = {"not",       "case",      "when", "then",
                                             "else",      "distinct",  "from", "variadic",
                                             "symmetric", "asymmetric"};

// Words between two operands.
constexpr std::string_view kInfixWords[] = {"and", "or",     "like", "ilike",   "between",
                                            "to",  "escape", "is",   "collate", "in"};

// Goes through the tokens of one expression and knows whether an operand or an operator is next.
class ExpressionEnd {
 public:
  ExpressionEnd(const Tokens& tokens, std::size_t begin) : tokens_(tokens), begin_(begin) {}

  // The token after the expression.
  std::size_t find() {
    if (begin_ >= tokens_.size()) return begin_;
    for (std::size_t i = begin_; i < tokens_.size(); ++i) {
      if (tokens_[i].depth > tokens_[begin_].depth) continue;
      if (tokens_[i].depth < tokens_[begin_].depth || stops_at(i)) return i;
    }
    return tokens_.size();
  }

 private:
  bool stops_at(std::size_t i) {
    if (tokens_[i].kind == TokenKind::symbol) return stops_at_symbol(i);
    std::string word = tokens_.word(i);
    if (word.empty()) {
      operand_next_ = false;
      return false;
    }
    if (!operand_next_) return stops_at_operator(i, word);
    see_operand(word);
    return false;
  }

  bool stops_at_symbol(std::size_t i) {
    char symbol = tokens_.text(i)[0];
    bool closes = symbol == ')' || symbol == ']';
    if (symbol == ',' || symbol == ';' || (closes && i == begin_)) return true;
    bool star = symbol == '*' && operand_next_;
    bool opens = symbol == '(' || symbol == '[';
    if (!opens) operand_next_ = !closes && !star;
    return false;
  }

  void see_operand(const std::string& word) {
    if (word == "case") ++cases_;
    operand_next_ = is_one_of(word, kPrefixWords);
  }

  bool stops_at_operator(std::size_t i, const std::string& word) {
    if (word == "end" && cases_ > 0) --cases_;
    bool of_case = cases_ > 0 && (word == "when" || word == "then" || word == "else");
    bool at_time_zone =
        word == "zone" && i > 1 && tokens_.word(i - 1) == "time" && tokens_.word(i - 2) == "at";
    operand_next_ = of_case || at_time_zone || is_one_of(word, kInfixWords);
    if (of_case || !is_one_of(word, kClauseWords)) return false;
    std::string previous = i > begin_ ? tokens_.word(i - 1) : std::string();
    bool continues =
        (previous == "within" && word == "group") || (previous == "collation" && word == "for");
    return !continues;
  }

  const Tokens& tokens_;
  std::size_t begin_;
  std::size_t cases_ = 0;
  bool operand_next_ = true;
};

std::size_t end_of_expression(const Tokens& tokens, std::size_t begin) {
  return ExpressionEnd(tokens, begin).find();
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

std::string common_table_text(const Tokens& tokens, std::size_t location) {
  if (location == kNoOffset) return {};
  std::size_t begin = tokens.index_at(location);
  if (begin >= tokens.size()) return {};
  const std::uint32_t depth = tokens[begin].depth;
  const auto is_outside = [&](std::size_t i) { return tokens[i].depth <= depth; };
  ++begin;  // the name may be "as"
  while (begin < tokens.size() && !(is_outside(begin) && tokens.word(begin) == "as")) ++begin;
  while (begin < tokens.size() && !tokens.is_symbol(begin, '(')) ++begin;
  if (begin >= tokens.size()) return {};
  std::size_t end = begin + 1;
  while (end < tokens.size() && !is_outside(end)) ++end;
  return std::string(tokens.text(begin + 1, end));
}

std::string listed_expression(const Tokens& tokens, std::size_t location, std::string_view alias) {
  if (location == kNoOffset) return {};
  std::size_t begin = tokens.index_at(location);
  std::size_t end = end_of_expression(tokens, begin);
  // Some of the words that end expressions are aliases even without AS: SELECT a left FROM t.
  bool stopped_at_alias = tokens.word(end) == "as" || tokens.word(end) == alias;
  if (!alias.empty() && !stopped_at_alias && end > begin + 1) --end;
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

std::string name_text(const Tokens& tokens, const std::string& name) {
  std::string quoted = "\"";
  for (char c : name) quoted += c == '"' ? "\"\"" : std::string(1, c);
  quoted += '"';
  bool is_plain = !name.empty() && starts_word(name[0]) &&
                  std::all_of(name.begin(), name.end(), continues_word) && to_lower(name) == name;
  for (std::size_t i = 0; i < tokens.size() && is_plain; ++i) {
    is_plain = tokens[i].kind != TokenKind::quoted_name || tokens.text(i) != quoted;
  }
  return is_plain ? name : quoted;
}

}  // namespace heddle::sql

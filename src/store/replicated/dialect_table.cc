#include "store/replicated/dialect_table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::replicated {

namespace {

// As the database calls it: names without quotes are folded.
std::string name_of(const Token& token) { return token.word; }

std::size_t find_word(const Tokens& tokens, std::string_view word, std::size_t from = 0) {
  std::size_t at = from;
  while (at < tokens.size() && !is_word(tokens[at], word)) ++at;
  return at;
}

Token made(std::string text) {
  Token token;
  token.kind = TokenKind::parameter;
  token.gap = " ";
  token.text = std::move(text);
  return token;
}

// One element of the parenthesized list: a column or a constraint of the table.
class TableElement {
 public:
  TableElement(std::string table, Tokens tokens)
      : table_(std::move(table)), tokens_(std::move(tokens)) {}

  // The statements that make its unique keys.
  std::vector<std::string> take_unique_keys() { return std::move(unique_keys_); }

  // Empty: nothing of it is left.
  const Tokens& rewrite() {
    constexpr std::string_view kConstraints[] = {"primary", "foreign", "check", "exclude", "like"};
    const std::size_t first = word_at(tokens_, 0, "constraint") ? 2 : 0;
    if (word_at(tokens_, first, "unique")) {
      take_table_unique(first);
      return tokens_;
    }
    const bool is_constraint = first > 0 || std::ranges::any_of(kConstraints, [&](auto word) {
                                 return word_at(tokens_, 0, word);
                               });
    if (!is_constraint && tokens_.size() > 1) rewrite_column();
    return tokens_;
  }

 private:
  void add_unique(const std::string& name, const std::string& columns) {
    unique_keys_.push_back(fmt::format("CREATE UNIQUE INDEX {} ON {} ({})", quote_name(name),
                                       quote_name(table_), columns));
  }

  void take_table_unique(std::size_t first) {
    std::size_t open = first;
    while (open < tokens_.size() && !is_symbol(tokens_[open], "(")) ++open;
    const std::size_t close = closing(tokens_, open);
    if (close >= tokens_.size()) return;
    const Tokens columns(tokens_.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                         tokens_.begin() + static_cast<std::ptrdiff_t>(close));
    std::string name = table_;
    for (const Token& token : columns) name += is_name(token) ? "_" + name_of(token) : "";
    add_unique(first == 0 ? name + "_key" : name_of(tokens_[1]), to_text(columns));
    tokens_.clear();
  }

  void rewrite_column() {
    column_ = name_of(tokens_[0]);
    rewrite_unique();
    rewrite_generated();
    rewrite_default();
  }

  void rewrite_unique() {
    const std::size_t at = find_word(tokens_, "unique");
    if (at == tokens_.size()) return;
    const bool is_named = at >= 2 && is_word(tokens_[at - 2], "constraint");
    const std::string name =
        is_named ? name_of(tokens_[at - 1]) : fmt::format("{}_{}_key", table_, column_);
    erase(tokens_, is_named ? at - 2 : at, at + 1);
    add_unique(name, quote_name(column_));
  }

  // serial, GENERATED ... AS IDENTITY and AUTOINCREMENT: the next number of a sequence that all
  // replicas share. The type must not be INTEGER, which would make the key the row's own number.
  void rewrite_generated() {
    constexpr std::string_view kSerials[] = {"serial",  "bigserial", "smallserial",
                                             "serial2", "serial4",   "serial8"};
    const bool is_serial = std::ranges::find(kSerials, tokens_[1].word) != std::end(kSerials);
    const std::size_t generated = find_word(tokens_, "generated");
    const std::size_t identity = find_word(tokens_, "identity", generated);
    const std::size_t counting = find_word(tokens_, "autoincrement");
    if (identity < tokens_.size()) {
      const bool has_options =
          identity + 1 < tokens_.size() && is_symbol(tokens_[identity + 1], "(");
      erase(tokens_, generated, has_options ? closing(tokens_, identity + 1) + 1 : identity + 1);
    } else if (counting < tokens_.size()) {
      erase(tokens_, counting, counting + 1);
    } else if (!is_serial) {
      return;
    }
    const bool is_big = tokens_[1].word == "bigserial" || tokens_[1].word == "serial8";
    if (is_big) tokens_[1].text = "bigint";
    if ((is_serial && !is_big) || is_word(tokens_[1], "integer")) tokens_[1].text = "int";
    tokens_[1].word = tokens_[1].text;
    tokens_.push_back(
        made(fmt::format("NOT NULL DEFAULT (nextval('{}_{}_seq'))", table_, column_)));
  }

  // SQLite takes a call only in parentheses.
  void rewrite_default() {
    const std::size_t at = find_word(tokens_, "default") + 1;
    if (at >= tokens_.size() || is_symbol(tokens_[at], "(")) return;
    const bool is_rewritten = tokens_[at].kind == TokenKind::parameter;  // a cast
    const bool is_call =
        is_name(tokens_[at]) && at + 1 < tokens_.size() && is_symbol(tokens_[at + 1], "(");
    if (!is_rewritten && !is_call) return;
    const std::size_t last = is_call ? closing(tokens_, at + 1) : at;
    if (last >= tokens_.size()) return;
    tokens_[at].text = "(" + tokens_[at].text;
    tokens_[last].text += ")";
  }

  std::string table_;
  std::string column_;
  Tokens tokens_;
  std::vector<std::string> unique_keys_;
};

// What stands behind the list: storage parameters and tablespaces go.
void drop_storage(Tokens& tail) {
  const std::size_t with = find_word(tail, "with");
  if (with + 1 < tail.size() && is_symbol(tail[with + 1], "(")) {
    erase(tail, with, closing(tail, with + 1) + 1);
  }
  const std::size_t space = find_word(tail, "tablespace");
  if (space < tail.size()) erase(tail, space, space + 2);
}

}  // namespace

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (is_symbol(tokens[i], "(")) ++depth;
    if (is_symbol(tokens[i], ")") && --depth == 0) return i;
  }
  return tokens.size();
}

std::size_t type_size(const std::vector<Token>& tokens, std::size_t at) {
  std::size_t end = at + 1;
  if (word_at(tokens, at, "double") && word_at(tokens, end, "precision")) ++end;
  if (word_at(tokens, at, "character") && word_at(tokens, end, "varying")) ++end;
  if (end < tokens.size() && is_symbol(tokens[end], "(")) end = closing(tokens, end) + 1;
  const bool has_zone = (word_at(tokens, end, "with") || word_at(tokens, end, "without")) &&
                        word_at(tokens, end + 1, "time") && word_at(tokens, end + 2, "zone");
  if (has_zone) end += 3;
  while (end + 1 < tokens.size() && is_symbol(tokens[end], "[") &&
         is_symbol(tokens[end + 1], "]")) {
    end += 2;
  }
  return std::min(end, tokens.size()) - at;
}

std::vector<std::string> table_to_sqlite(std::vector<Token> statement) {
  const std::size_t unlogged = find_word(statement, "unlogged");
  if (unlogged == 1) erase(statement, 1, 2);
  std::size_t name = 2;
  if (word_at(statement, 2, "if")) name = 5;
  const bool is_table = word_at(statement, 1, "table") && name + 1 < statement.size() &&
                        is_symbol(statement[name + 1], "(");
  const std::size_t close = is_table ? closing(statement, name + 1) : statement.size();
  if (close >= statement.size()) return {to_text(statement)};
  const auto begin = statement.begin();
  Tokens tail(begin + static_cast<std::ptrdiff_t>(close) + 1, statement.end());
  drop_storage(tail);
  std::vector<std::string> elements;
  std::vector<std::string> made_after;
  std::size_t first = name + 2;
  int depth = 0;
  for (std::size_t i = first; i <= close; ++i) {
    const bool is_end = i == close || (depth == 0 && is_symbol(statement[i], ","));
    if (is_symbol(statement[i], "(")) ++depth;
    if (is_symbol(statement[i], ")")) --depth;
    if (!is_end) continue;
    TableElement element(name_of(statement[name]), {begin + static_cast<std::ptrdiff_t>(first),
                                                    begin + static_cast<std::ptrdiff_t>(i)});
    std::string text = to_text(element.rewrite());
    if (!text.empty()) elements.push_back(std::move(text));
    for (std::string& key : element.take_unique_keys()) made_after.push_back(std::move(key));
    first = i + 1;
  }
  const std::string head = to_text({begin, begin + static_cast<std::ptrdiff_t>(name) + 1});
  std::vector<std::string> all = {fmt::format("{} ({}){}", head, join(elements, ", "),
                                              tail.empty() ? "" : " " + to_text(tail))};
  std::move(made_after.begin(), made_after.end(), std::back_inserter(all));
  return all;
}

}  // namespace heddle::replicated

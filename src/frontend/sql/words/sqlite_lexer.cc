#include "frontend/sql/words/sqlite_lexer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::sql {
namespace {

// Operators of more than one character, longest first.
constexpr std::string_view kSqliteOperators[] = {
    "->>", "||", "!=", "<>", "<=", ">=", "<<", ">>", "->", "=="};

// The name in quotes of the kind `closing`, without them; a doubled quote is one.
std::string unquote(std::string_view quoted, char closing) {
  std::string_view inside = quoted.substr(1);
  if (inside.ends_with(closing)) inside.remove_suffix(1);
  std::string name;
  for (std::size_t at = 0; at < inside.size(); ++at) {
    name += inside[at];
    const bool is_doubled =
        closing != ']' && inside[at] == closing && inside.substr(at + 1).starts_with(closing);
    if (is_doubled) ++at;
  }
  return name;
}

class SqliteLexer {
 public:
  explicit SqliteLexer(std::string_view sql) : sql_(sql) {}

  std::vector<MysqlToken> run() {
    while (at_ < sql_.size()) {
      if (!skip_blank()) read_token();
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view text) const { return sql_.substr(at_, text.size()) == text; }
  std::string source(std::size_t end) const { return std::string(sql_.substr(at_, end - at_)); }
  std::size_t end_of_word(std::size_t begin) const {
    while (begin < sql_.size() && continues_word(sql_[begin])) ++begin;
    return begin;
  }

  void add(MysqlTokenKind kind, std::size_t end, std::string text, std::string word = {}) {
    tokens_.push_back({.kind = kind,
                       .text = std::move(text),
                       .word = std::move(word),
                       .offset = at_,
                       .size = end - at_});
    at_ = end;
  }

  bool skip_blank();
  void read_token();
  bool read_quoted();
  bool read_parameter();
  void read_word();
  void read_number();
  void read_symbol();

  std::string_view sql_;
  std::size_t at_ = 0;
  std::vector<MysqlToken> tokens_;
  std::size_t parameters_ = 0;  // of this statement
};

bool SqliteLexer::skip_blank() {
  if (is_space(peek()) || peek() == '\0') {
    ++at_;
  } else if (looking_at("--")) {
    at_ = end_of_line(sql_, at_);
  } else if (looking_at("/*")) {
    const std::size_t close = sql_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? sql_.size() : close + 2;
  } else {
    return false;
  }
  return true;
}

void SqliteLexer::read_token() {
  if (peek() == ';') {
    parameters_ = 0;
    return add(MysqlTokenKind::end, at_ + 1, ";");
  }
  if (read_quoted() || read_parameter()) return;
  if (starts_word(peek())) return read_word();
  if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return read_number();
  read_symbol();
}

bool SqliteLexer::read_quoted() {
  const char opening = peek();
  if (opening == '\'') {
    const std::size_t end = std::min(end_of_quoted(sql_, at_, opening, false), sql_.size());
    add(MysqlTokenKind::string, end, source(end));
    return true;
  }
  if (opening != '"' && opening != '`' && opening != '[') return false;
  const char closing = opening == '[' ? ']' : opening;
  std::size_t end = sql_.size();
  if (opening == '[') {
    const std::size_t close = sql_.find(']', at_);
    if (close != std::string_view::npos) end = close + 1;
  } else {
    end = std::min(end_of_quoted(sql_, at_, opening, false), sql_.size());
  }
  add(MysqlTokenKind::name, end, quote_name(unquote(sql_.substr(at_, end - at_), closing)));
  return true;
}

bool SqliteLexer::read_parameter() {
  const char mark = peek();
  const bool is_named = (mark == ':' || mark == '@' || mark == '$') && continues_word(peek(1));
  if (mark != '?' && !is_named) return false;
  add(MysqlTokenKind::parameter, end_of_word(at_ + 1), "$" + std::to_string(++parameters_));
  return true;
}

void SqliteLexer::read_word() {
  std::size_t end = end_of_word(at_);
  std::string word = to_lower(sql_.substr(at_, end - at_));
  if (word == "x" && end < sql_.size() && sql_[end] == '\'') {
    end = std::min(end_of_quoted(sql_, end, '\'', false), sql_.size());
    return add(MysqlTokenKind::string, end, source(end));
  }
  add(MysqlTokenKind::word, end, source(end), std::move(word));
}

void SqliteLexer::read_number() {
  std::size_t end = at_;
  bool exponent = false;
  while (end < sql_.size() && (continues_word(sql_[end]) || sql_[end] == '.' ||
                               (exponent && (sql_[end] == '+' || sql_[end] == '-')))) {
    exponent = sql_[end] == 'e' || sql_[end] == 'E';
    ++end;
  }
  std::string text = source(end);
  const bool is_hexadecimal = to_lower(text).starts_with("0x");
  if (is_hexadecimal) text = "X'" + text.substr(2) + "'";
  add(MysqlTokenKind::number, end, std::move(text));
}

void SqliteLexer::read_symbol() {
  for (const std::string_view one : kSqliteOperators) {
    if (looking_at(one)) {
      return add(MysqlTokenKind::symbol, at_ + one.size(), std::string(one));
    }
  }
  add(MysqlTokenKind::symbol, at_ + 1, source(at_ + 1));
}

}  // namespace

std::vector<MysqlToken> lex_sqlite(std::string_view sql) { return SqliteLexer(sql).run(); }

}  // namespace heddle::sql

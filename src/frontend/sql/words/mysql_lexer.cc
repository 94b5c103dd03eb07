#include "frontend/sql/words/mysql_lexer.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/sql/words/postgres_words.h"

namespace heddle::sql {
namespace {

// Operators of more than one character, longest first.
constexpr std::string_view kMysqlOperators[] = {"<=>", "->>", "&&", "||", ":=", "!=", "<>",
                                                "<=",  ">=",  "<<", ">>", "->", "=="};

// What a backslash and this character stand for. The wildcards keep their backslash.
std::string unescape(char c) {
  switch (c) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case 'b':
      return "\b";
    case 'Z':
      return "\x1a";
    case '0':  // PostgreSQL has no NUL in texts
    case '%':
    case '_':
      return std::string("\\") + c;
    default:
      return std::string(1, c);
  }
}

// The value of the quoted text [begin, end), quotes included; the last may be missing.
std::string quoted_value(std::string_view quoted, bool backslashes) {
  char quote = quoted[0];
  std::string value;
  for (std::size_t at = 1; at < quoted.size(); ++at) {
    char c = quoted[at];
    if (backslashes && c == '\\' && at + 1 < quoted.size()) {
      value += unescape(quoted[++at]);
    } else if (c == quote) {
      if (at + 1 >= quoted.size()) break;
      value += c;
      ++at;
    } else {
      value += c;
    }
  }
  return value;
}

bool is_hex(std::string_view digits) {
  return std::all_of(digits.begin(), digits.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
}

class MysqlLexer {
 public:
  explicit MysqlLexer(std::string_view sql) : sql_(sql) {}

  std::vector<MysqlToken> run() {
    while (at_ < sql_.size()) {
      if (skip_blank() || read_delimiter()) continue;
      read_token();
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view text) const { return sql_.substr(at_, text.size()) == text; }

  void add(MysqlTokenKind kind, std::size_t end, std::string text, std::string word = {}) {
    tokens_.push_back({.kind = kind,
                       .text = std::move(text),
                       .word = std::move(word),
                       .offset = at_,
                       .size = end - at_});
    at_ = end;
  }
  std::string source(std::size_t end) const { return std::string(sql_.substr(at_, end - at_)); }

  bool skip_blank();
  bool read_delimiter();
  void read_token();
  bool read_quoted();
  void read_word();
  void read_number();
  void read_variable();
  void read_symbol();

  std::string_view sql_;
  std::size_t at_ = 0;
  std::vector<MysqlToken> tokens_;
  std::string delimiter_ = ";";
  std::size_t executable_comments_ = 0;  // whose contents we are in
  std::size_t parameters_ = 0;           // of this statement
};

bool MysqlLexer::skip_blank() {
  bool dashes = looking_at("--") && (at_ + 2 >= sql_.size() || is_space(sql_[at_ + 2]));
  if (is_space(peek()) || peek() == '\0') {
    ++at_;
  } else if (peek() == '#' || dashes) {
    at_ = end_of_line(sql_, at_);
  } else if (looking_at("/*!") || looking_at("/*M!")) {
    at_ += looking_at("/*!") ? 3 : 4;
    while (is_digit(peek())) ++at_;
    ++executable_comments_;
  } else if (looking_at("/*")) {
    std::size_t close = sql_.find("*/", at_ + 2);
    at_ = close == std::string_view::npos ? sql_.size() : close + 2;
  } else if (executable_comments_ > 0 && looking_at("*/")) {
    at_ += 2;
    --executable_comments_;
  } else {
    return false;
  }
  return true;
}

// DELIMITER is a command of the client: the rest of its line ends statements from then on.
bool MysqlLexer::read_delimiter() {
  constexpr std::string_view kWord = "delimiter";
  bool at_start = tokens_.empty() || tokens_.back().kind == MysqlTokenKind::end;
  bool is_command = at_start && equal_ignoring_case(sql_.substr(at_, kWord.size()), kWord) &&
                    (peek(kWord.size()) == ' ' || peek(kWord.size()) == '\t');
  if (!is_command) return false;
  std::size_t end = end_of_line(sql_, at_);
  std::string_view rest = trim(sql_.substr(at_ + kWord.size(), end - at_ - kWord.size()));
  if (!rest.empty()) delimiter_ = std::string(rest);
  at_ = end;
  return true;
}

void MysqlLexer::read_token() {
  if (looking_at(delimiter_)) {
    parameters_ = 0;
    return add(MysqlTokenKind::end, at_ + delimiter_.size(), ";");
  }
  if (read_quoted()) return;
  if (starts_word(peek()) || peek() == '$') return read_word();
  if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return read_number();
  if (peek() == '@') return read_variable();
  if (peek() == '?') {
    return add(MysqlTokenKind::parameter, at_ + 1, "$" + std::to_string(++parameters_));
  }
  read_symbol();
}

bool MysqlLexer::read_quoted() {
  char quote = peek();
  if (quote == '`') {
    std::size_t end = end_of_quoted(sql_, at_, quote, false);
    std::string value = quoted_value(sql_.substr(at_, end - at_), false);
    add(MysqlTokenKind::name, end, quote_name(value));
    return true;
  }
  if (quote != '\'' && quote != '"') return false;
  std::size_t end = std::min(end_of_quoted(sql_, at_, quote, true), sql_.size());
  std::string text = source(end);
  bool as_is = quote == '\'' && text.size() > 1 && text.find('\\') == std::string::npos;
  if (!as_is) text = quote_string(quoted_value(text, true));
  // Strings side by side are one string.
  bool joins = !tokens_.empty() && tokens_.back().kind == MysqlTokenKind::string &&
               tokens_.back().text.starts_with('\'') && text.starts_with('\'') && text.size() > 1;
  if (joins) {
    MysqlToken& previous = tokens_.back();
    previous.text.pop_back();
    previous.text += text.substr(1);
    previous.size = end - previous.offset;
    at_ = end;
  } else {
    add(MysqlTokenKind::string, end, std::move(text));
  }
  return true;
}

void MysqlLexer::read_word() {
  std::size_t end = at_;
  while (end < sql_.size() && continues_word(sql_[end])) ++end;
  std::string word = to_lower(sql_.substr(at_, end - at_));
  bool before_quote = end < sql_.size() && sql_[end] == '\'';
  bool is_prefix = word == "x" || word == "b" || word == "n";
  if (before_quote && is_prefix) {
    end = end_of_quoted(sql_, end, '\'', false);
    return add(MysqlTokenKind::string, end, source(end));
  }
  // A character set before a string: _utf8mb4'x'.
  if (before_quote && word.size() > 1 && word[0] == '_') {
    at_ = end;
    return;
  }
  add(MysqlTokenKind::word, end, source(end), std::move(word));
}

void MysqlLexer::read_number() {
  std::size_t end = at_;
  bool exponent = false;
  while (end < sql_.size() && (continues_word(sql_[end]) || sql_[end] == '.' ||
                               (exponent && (sql_[end] == '+' || sql_[end] == '-')))) {
    exponent = sql_[end] == 'e' || sql_[end] == 'E';
    ++end;
  }
  std::string text = source(end);
  std::string_view digits = std::string_view(text).substr(std::min<std::size_t>(2, text.size()));
  bool hexadecimal = text.starts_with("0x") && is_hex(digits);
  bool binary = text.starts_with("0b") && digits.find_first_not_of("01") == std::string_view::npos;
  // Names may begin with digits.
  bool is_name = text.find('.') == std::string::npos && !hexadecimal && !binary &&
                 std::any_of(text.begin(), text.end(),
                             [](char c) { return starts_word(c) && c != 'e' && c != 'E'; });
  if (is_name) return add(MysqlTokenKind::name, end, quote_name(text));
  if (hexadecimal) text = "X'" + std::string(digits) + "'";
  if (binary) text = "B'" + std::string(digits) + "'";
  add(MysqlTokenKind::number, end, std::move(text));
}

// A variable reads no table. It becomes a call that names it, so that it is not lost either.
void MysqlLexer::read_variable() {
  std::size_t end = at_;
  while (end < sql_.size() && sql_[end] == '@' && end < at_ + 2) ++end;
  std::string name;
  if (end < sql_.size() && (sql_[end] == '`' || sql_[end] == '\'' || sql_[end] == '"')) {
    std::size_t close = end_of_quoted(sql_, end, sql_[end], false);
    name = quoted_value(sql_.substr(end, close - end), false);
    end = close;
  } else {
    std::size_t begin = end;
    while (end < sql_.size() && (continues_word(sql_[end]) || sql_[end] == '.')) ++end;
    name = sql_.substr(begin, end - begin);
  }
  std::string text = "current_setting(" + quote_string("@" + to_lower(name)) + ")";
  std::string marks = sql_.substr(at_, 2) == "@@" ? "@@" : "@";
  add(MysqlTokenKind::variable, end, std::move(text), marks + to_lower(name));
}

void MysqlLexer::read_symbol() {
  for (std::string_view one : kMysqlOperators) {
    if (looking_at(one)) {
      return add(MysqlTokenKind::symbol, at_ + one.size(), std::string(one));
    }
  }
  add(MysqlTokenKind::symbol, at_ + 1, source(at_ + 1));
}

}  // namespace

std::vector<MysqlToken> lex_mysql(std::string_view sql) { return MysqlLexer(sql).run(); }

std::string quote_string(std::string_view value) { return quoted_by(value, '\''); }

std::string quote_name(std::string_view name) {
  // PostgreSQL has no empty names.
  return name.empty() ? "\" \"" : quoted_by(to_lower(name), '"');
}

}  // namespace heddle::sql

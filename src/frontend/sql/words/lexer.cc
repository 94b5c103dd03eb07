#include "frontend/sql/words/lexer.h"

#include <algorithm>

#include "base/text.h"

namespace heddle::sql {
namespace {

// What a word directly before a quote makes of the quoted text.
bool is_string_prefix(std::string_view word) {
  return word.size() == 1 && std::string_view("bBeEnNxX").find(word[0]) != std::string_view::npos;
}

bool is_unicode_prefix(std::string_view sql, std::size_t at) {
  return at + 2 < sql.size() && (sql[at] == 'u' || sql[at] == 'U') && sql[at + 1] == '&' &&
         (sql[at + 2] == '\'' || sql[at + 2] == '"');
}

std::size_t end_of_word(std::string_view sql, std::size_t at) {
  while (at < sql.size() && continues_word(sql[at])) ++at;
  return at;
}

// Digits, a fraction and an exponent. Two dots end it: `1..2` is a range of PL/pgSQL.
std::size_t end_of_number(std::string_view sql, std::size_t at) {
  bool dot = false;
  while (at < sql.size()) {
    if (sql[at] == '.') {
      if (dot || sql.substr(at, 2) == "..") break;
      dot = true;
    } else if ((sql[at] == 'e' || sql[at] == 'E') && at + 1 < sql.size() &&
               (sql[at + 1] == '+' || sql[at + 1] == '-')) {
      ++at;
    } else if (!continues_word(sql[at])) {
      break;
    }
    ++at;
  }
  return at;
}

// The length of `$tag$` at `at`, or 0.
std::size_t dollar_tag_size(std::string_view sql, std::size_t at) {
  std::size_t end = at + 1;
  if (end < sql.size() && is_digit(sql[end])) return 0;
  while (end < sql.size() && continues_word(sql[end]) && sql[end] != '$') ++end;
  return end < sql.size() && sql[end] == '$' ? end + 1 - at : 0;
}

// The end of a dollar-quoted text, or of `$1`, or after a lone dollar.
Token lex_dollar(std::string_view sql, std::size_t at) {
  if (std::size_t tag_size = dollar_tag_size(sql, at); tag_size > 0) {
    std::string_view tag = sql.substr(at, tag_size);
    std::size_t close = sql.find(tag, at + tag_size);
    std::size_t end = close == std::string_view::npos ? sql.size() : close + tag_size;
    return {.kind = TokenKind::string, .offset = at, .size = end - at};
  }
  std::size_t end = at + 1;
  while (end < sql.size() && is_digit(sql[end])) ++end;
  TokenKind kind = end > at + 1 ? TokenKind::parameter : TokenKind::symbol;
  return {.kind = kind, .offset = at, .size = end - at};
}

Token lex_word(std::string_view sql, std::size_t at) {
  if (is_unicode_prefix(sql, at)) {
    char quote = sql[at + 2];
    TokenKind kind = quote == '"' ? TokenKind::quoted_name : TokenKind::string;
    return {.kind = kind, .offset = at, .size = end_of_quoted(sql, at + 2, quote, false) - at};
  }
  std::size_t end = end_of_word(sql, at);
  std::string_view word = sql.substr(at, end - at);
  if (end < sql.size() && sql[end] == '\'' && is_string_prefix(word)) {
    bool backslashes = word == "e" || word == "E";
    end = end_of_quoted(sql, end, '\'', backslashes);
    return {.kind = TokenKind::string, .offset = at, .size = end - at};
  }
  return {.kind = TokenKind::word, .offset = at, .size = end - at};
}

Token lex_token(std::string_view sql, std::size_t at) {
  char c = sql[at];
  if (c == '\'' || c == '"') {
    TokenKind kind = c == '"' ? TokenKind::quoted_name : TokenKind::string;
    return {.kind = kind, .offset = at, .size = end_of_quoted(sql, at, c, false) - at};
  }
  if (c == '$') return lex_dollar(sql, at);
  if (starts_word(c)) return lex_word(sql, at);
  bool fraction =
      c == '.' && at + 1 < sql.size() && is_digit(sql[at + 1]) && (at == 0 || sql[at - 1] != '.');
  if (is_digit(c) || fraction) {
    return {.kind = TokenKind::number, .offset = at, .size = end_of_number(sql, at) - at};
  }
  return {.kind = TokenKind::symbol, .offset = at, .size = 1};
}

// The end of the white space or comment at `at`; `at` itself when there is none.
std::size_t skip_blank(std::string_view sql, std::size_t at) {
  if (is_space(sql[at])) return at + 1;
  if (sql.substr(at, 2) == "--") return end_of_line(sql, at);
  if (sql.substr(at, 2) == "/*") return end_of_block_comment(sql, at);
  return at;
}

}  // namespace

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_word(char c) { return starts_word(c) || is_digit(c) || c == '$'; }

std::size_t end_of_quoted(std::string_view sql, std::size_t begin, char quote, bool backslashes) {
  std::size_t at = begin + 1;
  while (at < sql.size()) {
    if (backslashes && sql[at] == '\\') {
      at += 2;
    } else if (sql[at] != quote) {
      ++at;
    } else if (at + 1 < sql.size() && sql[at + 1] == quote) {
      at += 2;
    } else {
      return at + 1;
    }
  }
  return sql.size();
}

std::size_t end_of_block_comment(std::string_view sql, std::size_t begin) {
  std::size_t open = 0;
  for (std::size_t at = begin; at < sql.size();) {
    if (sql.substr(at, 2) == "/*") {
      ++open;
      at += 2;
    } else if (sql.substr(at, 2) == "*/") {
      at += 2;
      if (--open == 0) return at;
    } else {
      ++at;
    }
  }
  return sql.size();
}

std::size_t end_of_line(std::string_view sql, std::size_t begin) {
  return std::min(sql.find('\n', begin), sql.size());
}

std::size_t end_of_token(std::string_view sql, std::size_t at) {
  const std::size_t blank = skip_blank(sql, at);
  return blank > at ? blank : at + lex_token(sql, at).size;
}

SourcePosition position_at(std::string_view sql, std::size_t offset) {
  std::string_view before = sql.substr(0, std::min(offset, sql.size()));
  // Asked for every statement of a text: the search in the library is many times as quick as a
  // loop.
  std::uint32_t line = 1;
  for (std::size_t at = before.find('\n'); at != std::string_view::npos;
       at = before.find('\n', at + 1)) {
    ++line;
  }
  std::size_t newline = before.rfind('\n');
  std::size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  return {.line = line, .column = static_cast<std::uint32_t>(before.size() - line_start + 1)};
}

Tokens::Tokens(std::string_view sql) : sql_(sql) {
  std::uint32_t depth = 0;
  for (std::size_t at = 0; at < sql.size();) {
    if (std::size_t end = skip_blank(sql, at); end > at) {
      at = end;
      continue;
    }
    Token token = lex_token(sql, at);
    char c = token.kind == TokenKind::symbol ? sql[at] : ' ';
    if ((c == ')' || c == ']') && depth > 0) --depth;
    token.depth = depth;
    if (c == '(' || c == '[') ++depth;
    tokens_.push_back(token);
    at += token.size;
  }
}

std::string_view Tokens::text(std::size_t index) const {
  return sql_.substr(tokens_[index].offset, tokens_[index].size);
}

std::string_view Tokens::text(std::size_t begin, std::size_t end) const {
  if (begin >= end || end > size()) return {};
  std::size_t first = tokens_[begin].offset;
  return sql_.substr(first, tokens_[end - 1].offset + tokens_[end - 1].size - first);
}

std::string Tokens::word(std::size_t index) const {
  if (index >= size() || tokens_[index].kind != TokenKind::word) return {};
  return to_lower(text(index));
}

bool Tokens::is_symbol(std::size_t index, char symbol) const {
  return index < size() && tokens_[index].kind == TokenKind::symbol &&
         sql_[tokens_[index].offset] == symbol;
}

std::size_t Tokens::index_at(std::size_t offset) const {
  auto found =
      std::lower_bound(tokens_.begin(), tokens_.end(), offset,
                       [](const Token& token, std::size_t value) { return token.offset < value; });
  return static_cast<std::size_t>(found - tokens_.begin());
}

}  // namespace heddle::sql

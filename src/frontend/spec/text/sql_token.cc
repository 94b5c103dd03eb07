// The lexical rules of PostgreSQL's psqlscan.l with standard_conforming_strings on, written as one
// look at the first bytes of what is left. Whatever is not terminated runs to the end of the text,
// as it does in psql: the server then says what it misses.
#include "frontend/spec/text/sql_token.h"

#include <algorithm>

#include "base/assert.h"
#include "frontend/spec/text/word_characters.h"

namespace heddle {

namespace {

using SqlKind = SqlToken::Kind;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool is_newline(char c) { return c == '\n' || c == '\r'; }

std::size_t line_comment_size(std::string_view text) {
  return count_while(text, 0, [](char c) { return !is_newline(c); });
}

std::size_t block_comment_size(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i + 1 < text.size();) {
    if (text[i] == '/' && text[i + 1] == '*') {
      ++depth;
      i += 2;
    } else if (text[i] == '*' && text[i + 1] == '/') {
      i += 2;
      if (--depth == 0) return i;
    } else {
      ++i;
    }
  }
  return text.size();
}

// The offset after the quote that closes the string whose inside begins at `from`.
std::size_t quoted_end(std::string_view text, std::size_t from, char quote, bool escapes) {
  for (std::size_t i = from; i < text.size(); ++i) {
    if (escapes && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (i + 1 >= text.size() || text[i + 1] != quote) return i + 1;
      ++i;
    }
  }
  return text.size();
}

// SQL joins string literals that only white space with a newline separates. If one follows, the
// offset of its inside, else `from`.
std::size_t continued_string(std::string_view text, std::size_t from) {
  bool newline = false;
  std::size_t i = from;
  while (i < text.size()) {
    if (is_space(text[i])) {
      newline = newline || is_newline(text[i]);
      ++i;
    } else if (text.substr(i).starts_with("--")) {
      i += line_comment_size(text.substr(i));
    } else {
      return newline && text[i] == '\'' ? i + 1 : from;
    }
  }
  return from;
}

// E'...': only here is it of interest whether the literal goes on in another pair of quotes,
// because backslashes go on to escape there.
std::size_t escape_string_size(std::string_view text) {
  std::size_t end = quoted_end(text, 2, '\'', true);
  while (true) {
    const std::size_t next = continued_string(text, end);
    if (next == end) return end;
    end = quoted_end(text, next, '\'', true);
  }
}

// $tag$...$tag$, or 0 when no dollar quote begins here.
std::size_t dollar_quote_size(std::string_view text) {
  const std::size_t tag = text.size() > 1 && is_digit(text[1])
                              ? 0
                              : count_while(text, 1, [](char c) { return is_variable_char(c); });
  if (tag + 1 >= text.size() || text[tag + 1] != '$') return 0;
  const std::string_view delimiter = text.substr(0, tag + 2);
  const std::size_t end = text.find(delimiter, delimiter.size());
  return end == std::string_view::npos ? text.size() : end + delimiter.size();
}

struct VariableForm {
  SqlKind kind;
  std::string_view open;
  std::string_view close;
};

constexpr VariableForm kVariableForms[] = {
    {SqlKind::variable, ":", ""},
    {SqlKind::variable_literal, ":'", "'"},
    {SqlKind::variable_identifier, ":\"", "\""},
    {SqlKind::variable_test, ":{?", "}"},
};

SqlToken colon_token(std::string_view text) {
  if (text.starts_with("::")) return {SqlKind::symbol, text.substr(0, 2), {}};
  for (const VariableForm& form : kVariableForms) {
    if (!text.starts_with(form.open)) continue;
    const std::size_t size = count_while(text, form.open.size(), is_variable_char);
    const std::size_t end = form.open.size() + size;
    if (size == 0 || !text.substr(end).starts_with(form.close)) continue;
    return {form.kind, text.substr(0, end + form.close.size()),
            text.substr(form.open.size(), size)};
  }
  return {SqlKind::symbol, text.substr(0, 1), {}};
}

SqlToken backslash_token(std::string_view text) {
  if (text.size() < 2 || !is_letter(text[1])) return {SqlKind::symbol, text.substr(0, 1), {}};
  const std::size_t size =
      count_while(text, 1, [](char c) { return !is_space(c) && c != '\\' && c != '\0'; });
  return {SqlKind::command, text.substr(0, size + 1), text.substr(1, size)};
}

SqlToken word_token(std::string_view text) {
  return {SqlKind::word, text.substr(0, count_while(text, 0, is_word_char)), {}};
}

SqlToken number_token(std::string_view text) {
  const std::size_t digits = count_while(text, 0, is_digit);
  const bool junk = digits < text.size() && is_word_start(text[digits]);
  return {SqlKind::number,
          text.substr(0, digits + (junk ? count_while(text, digits, is_word_char) : 0)),
          {}};
}

SqlToken dollar_token(std::string_view text) {
  const std::size_t size = dollar_quote_size(text);
  if (size != 0) return {SqlKind::quoted, text.substr(0, size), {}};
  return {SqlKind::symbol, text.substr(0, 1), {}};
}

}  // namespace

SqlToken sql_token_at(std::string_view sql, std::size_t offset) {
  HEDDLE_ASSERT(offset < sql.size());
  const std::string_view text = sql.substr(offset);
  const char c = text.front();
  if (is_space(c)) return {SqlKind::space, text.substr(0, count_while(text, 0, is_space)), {}};
  if (text.starts_with("--"))
    return {SqlKind::comment, text.substr(0, line_comment_size(text)), {}};
  if (text.starts_with("/*"))
    return {SqlKind::comment, text.substr(0, block_comment_size(text)), {}};
  if (text.starts_with("E'") || text.starts_with("e'")) {
    return {SqlKind::quoted, text.substr(0, escape_string_size(text)), {}};
  }
  if (c == '\'' || c == '"') {
    return {SqlKind::quoted, text.substr(0, quoted_end(text, 1, c, false)), {}};
  }
  if (c == '$') return dollar_token(text);
  if (c == ':') return colon_token(text);
  if (c == '\\') return backslash_token(text);
  if (is_word_start(c)) return word_token(text);
  if (is_digit(c)) return number_token(text);
  return {SqlKind::symbol, text.substr(0, 1), {}};
}

bool has_sql(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const SqlToken token = sql_token_at(text, i);
    if (token.kind != SqlKind::space && token.kind != SqlKind::comment) return true;
    i += token.text.size();
  }
  return false;
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, is_variable_char);
}

}  // namespace heddle

// PostgreSQL's tokens with their places, so that clauses can be cut out of the source text as they
// were written. The parser stays PostgreSQL's own: this lexer never decides what is valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::sql {

constexpr std::size_t kNoOffset = static_cast<std::size_t>(-1);

enum class TokenKind : std::uint8_t {
  word,         // identifier or keyword without quotes
  quoted_name,  // "x", U&"x"
  string,       // 'x', E'x', B'x', X'x', N'x', U&'x', $tag$x$tag$
  number,
  parameter,  // $1
  symbol,     // any other single character
};

struct Token {
  TokenKind kind = TokenKind::symbol;
  std::size_t offset = 0;   // in bytes
  std::size_t size = 0;     // in bytes
  std::uint32_t depth = 0;  // open parentheses and brackets around it; its own are not counted
};

// The tokens of one text, comments and white space left out. Keeps a view of the text.
class Tokens {
 public:
  explicit Tokens(std::string_view sql);

  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t index) const { return tokens_[index]; }
  std::string_view sql() const { return sql_; }
  std::string_view text(std::size_t index) const;
  // The source text from token `begin` to before token `end`.
  std::string_view text(std::size_t begin, std::size_t end) const;
  // A word in lower case; empty when the token is none or there is no such token.
  std::string word(std::size_t index) const;
  bool is_symbol(std::size_t index, char symbol) const;
  // The first token that starts at `offset` or after it.
  std::size_t index_at(std::size_t offset) const;

 private:
  std::string_view sql_;
  std::vector<Token> tokens_;
};

// The end of the quoted text that starts at `begin` with `quote`: after the closing quote, or the
// end of the text. A doubled quote stands for itself; a backslash escapes when asked to.
std::size_t end_of_quoted(std::string_view sql, std::size_t begin, char quote, bool backslashes);

// The end of a comment of the block kind that starts at `begin`; nested ones are counted.
std::size_t end_of_block_comment(std::string_view sql, std::size_t begin);
std::size_t end_of_line(std::string_view sql, std::size_t begin);

// The end of the token, comment or blank that starts at `at`.
// REQUIRES: at < sql.size().
std::size_t end_of_token(std::string_view sql, std::size_t at);

bool is_space(char c);
bool starts_word(char c);
bool continues_word(char c);

// Line and column of a byte of the text.
SourcePosition position_at(std::string_view sql, std::size_t offset);

}  // namespace heddle::sql

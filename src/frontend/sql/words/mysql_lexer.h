// MySQL's tokens, each with the text that PostgreSQL's lexer reads in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::sql {

enum class MysqlTokenKind : std::uint8_t {
  word,
  name,  // in backticks
  string,
  number,
  parameter,  // ?
  variable,   // @x, @@x
  symbol,
  end,  // of a statement: a semicolon, or what DELIMITER says
};

struct MysqlToken {
  MysqlTokenKind kind = MysqlTokenKind::symbol;
  std::string text;  // as rewritten so far; empty: dropped
  std::string word;  // a word, or a variable with its @ or @@, in lower case; else empty
  std::size_t offset = 0;
  std::size_t size = 0;
};

// Comments are left out, the contents of executable ones (/*!40101 ... */) are not. Backslash
// escapes are resolved, double quotes delimit strings (as without ANSI_QUOTES).
std::vector<MysqlToken> lex_mysql(std::string_view sql);

// A string in PostgreSQL's quotes, backslashes meaning nothing.
std::string quote_string(std::string_view value);
// A name in PostgreSQL's quotes, in lower case: MySQL compares names of columns regardless of case,
// and those of tables too where lower_case_table_names says so.
std::string quote_name(std::string_view name);

}  // namespace heddle::sql

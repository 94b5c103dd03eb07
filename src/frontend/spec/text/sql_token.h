// SQL text cut into tokens where psql's lexer cuts it: fine enough to know what is quoted or
// commented, and where psql's variables and backslash commands stand. Nothing is rejected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle {

struct SqlToken {
  enum class Kind : std::uint8_t {
    space,
    comment,  // -- to the end of the line, or nested /* */
    word,     // identifier or keyword without quotes
    number,
    quoted,               // '...', E'...', "...", $tag$...$tag$
    variable,             // :name
    variable_literal,     // :'name'
    variable_identifier,  // :"name"
    variable_test,        // :{?name}
    command,              // backslash and a word
    symbol,               // anything else
  };

  Kind kind = Kind::symbol;
  std::string_view text;  // never empty
  std::string_view name;  // of the variable or the command
};

// The token that begins at `offset`. REQUIRES: offset < sql.size(), and a token begins there (which
// is so at 0 and at the end of each token).
SqlToken sql_token_at(std::string_view sql, std::size_t offset);

// Whether `text` holds anything but white space and comments.
bool has_sql(std::string_view text);

// Whether psql would accept `name` as the name of a variable.
bool is_variable_name(std::string_view name);

}  // namespace heddle

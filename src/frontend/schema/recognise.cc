// recognise_dialect: by words that the other dialects do not have.
//
// PostgreSQL's tokens decide what is a string or a comment, so that no text of PostgreSQL is taken
// for another one. Of a text of MySQL they may miss a sign behind a string with a backslash.
#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/schema.h"

namespace heddle {
namespace {

using sql::TokenKind;
using sql::Tokens;

bool is_mysql(const Tokens& tokens, std::size_t i, std::string_view word) {
  constexpr std::array<std::string_view, 5> kIntegers = {"tinyint", "smallint", "int", "integer",
                                                         "bigint"};
  return tokens.is_symbol(i, '`') || word == "auto_increment" ||
         (word == "engine" && tokens.is_symbol(i + 1, '=')) ||
         (is_one_of(word, kIntegers) && tokens.is_symbol(i + 1, '(') &&
          tokens[std::min(i + 2, tokens.size() - 1)].kind == TokenKind::number);
}

bool is_sqlite(const Tokens& tokens, std::size_t i, std::string_view word) {
  return word == "autoincrement" || (word == "without" && tokens.word(i + 1) == "rowid");
}

bool is_postgres(const Tokens& tokens, std::size_t i, std::string_view word) {
  constexpr std::array<std::string_view, 7> kWords = {
      "serial", "bigserial", "smallserial", "plpgsql", "timestamptz", "jsonb", "bytea"};
  const bool is_body = tokens[i].kind == TokenKind::string && tokens.text(i).starts_with('$');
  const bool is_cast = tokens.is_symbol(i, ':') && tokens.is_symbol(i + 1, ':');
  return is_body || is_cast || is_one_of(word, kWords);
}

}  // namespace

// SQLite takes widths of integers and backticks from MySQL, and so its own words come first.
std::optional<Dialect> recognise_dialect(std::string_view sql) {
  const Tokens tokens(sql);
  struct Sign {
    Dialect dialect;
    bool (*is_sign)(const Tokens&, std::size_t, std::string_view);
  };
  constexpr Sign kSigns[] = {{Dialect::sqlite, &is_sqlite},
                             {Dialect::mysql, &is_mysql},
                             {Dialect::postgres, &is_postgres}};
  for (const Sign& sign : kSigns) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (sign.is_sign(tokens, i, tokens.word(i))) return sign.dialect;
    }
  }
  return std::nullopt;
}

}  // namespace heddle

// SQLite's tokens, each with the text that PostgreSQL's lexer reads in its place.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/sql/words/mysql_lexer.h"

namespace heddle::sql {

// Names may stand in double quotes, backticks or brackets; parameters (?, ?1, :a, @a, $a) are
// numbered as they come. Double quotes always make a name, although SQLite takes an unknown one for
// a string.
std::vector<MysqlToken> lex_sqlite(std::string_view sql);

}  // namespace heddle::sql

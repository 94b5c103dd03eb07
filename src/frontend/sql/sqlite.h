// SQLite's text to text for PostgreSQL's parser, as mysql.h does it and with its tokens.
//
// Most of SQLite's language is PostgreSQL's. What stays unreadable is told by its words and the
// names in it, so that nothing of it is lost and nothing is an error.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/sql/mysql.h"
#include "heddle/statement.h"

namespace heddle::sql {

// Splits a text into statements, not rewritten yet.
std::vector<MysqlStatement> split_sqlite(std::string_view sql);

void rewrite_sqlite(MysqlStatement& statement);

// A statement that PostgreSQL's parser does not read even when rewritten: its kind by the first
// word, all tables that it may name, wholly read and written. `why` becomes a note, unless there is
// nothing more to know.
Statement classify_sqlite_by_words(const MysqlStatement& statement, std::string_view why);

}  // namespace heddle::sql

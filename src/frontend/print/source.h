// The statement to be printed, as its tree and what the tree does not say.
//
// The rewriters of MySQL and SQLite were made for reading what a statement touches, and drop what
// does not matter for that. Here it matters: what they would drop is kept beside the tree, moved
// into a shape that the tree can hold, or refused. No token may vanish without a reason.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sql/mysql.h"
#include "frontend/sql/tree.h"
#include "heddle/statement.h"

namespace heddle::sql {

// The function that stands for MySQL's INTERVAL n unit. No name that is written can be this one.
inline constexpr std::string_view kIntervalCall = "heddle interval";

struct PrintSource {
  std::string_view sql;
  Dialect dialect = Dialect::postgres;
  RewrittenText rewritten;         // what the tree was parsed from
  std::vector<MysqlToken> tokens;  // of the source; empty: PostgreSQL
  ParseOutcome parsed;
  bool ignores_conflicts = false;  // INSERT IGNORE, INSERT OR IGNORE
  bool replaces = false;           // REPLACE, INSERT OR REPLACE
  bool multi_table = false;        // MySQL: the tables of UPDATE and DELETE are in FROM
  std::vector<std::string> delete_targets;
  std::string begin_word;  // immediate, exclusive, or "consistent snapshot"

  const Node& statement() const { return *parsed.tree.statements[0].node; }
  // Where a location of the tree is in `sql`.
  std::size_t source_offset(std::size_t location) const;
  // The token that stands at a location of the tree; null where the text was not the user's.
  const MysqlToken* token_at(std::size_t location) const;
  // Whether MySQL's LIKE or REGEXP at a location of the tree has BINARY behind it.
  bool is_binary(std::size_t location) const;
};

// An error is one of the text, or of what cannot be kept. REQUIRES: `dialect` is one of SQL.
Result<void> read_source(std::string_view sql, Dialect dialect, PrintSource& source);

}  // namespace heddle::sql

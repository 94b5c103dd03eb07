// By which unique keys a row may be in the way of an INSERT that does nothing then.
#pragma once

#include <string>
#include <vector>

#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle::program {

struct ConflictKeys {
  // Of each its columns, as the table calls them. A row that is new in one of the columns of a key
  // meets none there, and has no such key here: it has a new number in it, or NULL, which equals
  // nothing.
  std::vector<std::vector<std::string>> keys = {};
  // Why any other row may be in its way, too, for people; empty: none is.
  std::string doubt = {};
};

// Whether it is ON CONFLICT DO NOTHING, INSERT IGNORE or INSERT OR IGNORE, and names no columns.
bool does_nothing_at_any_key(const Statement& statement);

// Of ON CONFLICT without columns: any unique key of the table that it can meet.
ConflictKeys conflict_keys(const Statement& statement, const Table& table, Dialect dialect);

// What an INSERT of one row writes to a column, as SQL; null: the column's default.
const WrittenValue* inserted_value(const Statement& statement, const Table& table,
                                   const std::string& column, Dialect dialect);

// Says in the statement what of its conflicts cannot be read exactly, now that its table is known.
void judge_conflict(Statement& statement, const Schema& schema);

}  // namespace heddle::program

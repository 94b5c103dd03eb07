// Locks that are not of rows: of whole tables, and those of which a program makes up the meaning.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heddle/program.h"
#include "heddle/statement.h"

namespace heddle::find {

// PostgreSQL's modes of locks of tables, the weakest first.
enum class TableLock : std::uint8_t {
  access_share,
  row_share,
  row_exclusive,
  share_update_exclusive,
  share,
  share_row_exclusive,
  exclusive,
  access_exclusive,
};

// Whether one transaction waits for the other one's lock (PostgreSQL, Explicit Locking).
bool exclude_each_other(TableLock a, TableLock b);

// It is kept until the transaction ends.
struct NamedLock {
  std::string table = {};  // empty: an advisory one
  TableLock mode = TableLock::access_exclusive;
  std::vector<Expression> key = {};  // of an advisory one, which two have in common if it is equal
};

// What LOCK TABLE and pg_advisory_xact_lock() take. `read` gives an expression of SQL in the words
// of the form; an advisory lock whose key is no value of the client is left out, and so are the
// locks of other dialects than PostgreSQL's, which do not end with the transaction.
std::vector<NamedLock> named_locks(const Statement& statement, Dialect dialect,
                                   const std::function<Expression(const std::string&)>& read);

}  // namespace heddle::find

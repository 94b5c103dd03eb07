// Locks that are not of rows: of whole tables, and those of which a program makes up the meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
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

// It is kept until the transaction ends, or, of the session, until that gives it back or ends.
struct NamedLock {
  std::string table = {};  // empty: an advisory one
  TableLock mode = TableLock::access_exclusive;
  std::vector<Expression> key = {};  // of an advisory one, which two have in common if it is equal
  bool is_of_session = false;
  // Of the statement's results, the one that says whether it has got it; none: it always does.
  std::optional<std::size_t> tried = {};
};

// What the statement takes, and what it gives back: there a lock without a key is all of them.
struct NamedLocks {
  std::vector<NamedLock> taken;
  std::vector<NamedLock> released;
};

// LOCK TABLE, PostgreSQL's advisory locks, and GET_LOCK() of MySQL, which may come back without the
// lock where it does not wait for ever. `read` gives an expression of SQL in the words of the form;
// an advisory lock whose key is no value of the client is left out, and given back with all others.
NamedLocks named_locks(const Statement& statement, Dialect dialect,
                       const std::function<Expression(const std::string&)>& read);

}  // namespace heddle::find

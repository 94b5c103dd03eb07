// SELECT EXISTS (SELECT ... FROM t WHERE c), read as what it means: whether a count is above zero.
#pragma once

#include <optional>

#include "heddle/statement.h"

namespace heddle::find {

// SELECT count(*) > 0 FROM t WHERE c, of one table, with the same placeholders; `= 0` for NOT
// EXISTS. None: the statement is no such query.
std::optional<Statement> as_count(const Statement& statement, Dialect dialect);

// An INSERT that makes its row where no row of its table meets a condition: the row, and the query
// that says whether there is such a row, as as_count() says it.
struct GuardedInsert {
  Statement insert;
  Statement query;
};
std::optional<GuardedInsert> as_guarded_insert(const Statement& statement, Dialect dialect);

}  // namespace heddle::find

// What a statement does by the functions that it calls.
#pragma once

#include <cstddef>
#include <vector>

#include "race/accesses/access.h"

namespace heddle::race {

// What the functions do that somebody has made: nothing where they are immutable, what their text
// says where they are in SQL, else anything: a stable one reads it, others write it, too.
// REQUIRES: the statement calls a function that is not PostgreSQL's own.
std::vector<Access> accesses_of_functions(const TraceStatement& unit, std::size_t place,
                                          const Statement& statement, const StoreTables& tables);

// Any table, read and written as long as nobody says otherwise.
Access any_table_access(const TraceStatement& unit, std::size_t place, StatementKind kind);

}  // namespace heddle::race

// Queries within a statement that lock the row that they find, of which the statement is about:
// UPDATE job SET ... WHERE id = (SELECT id FROM job ... LIMIT 1 FOR UPDATE SKIP LOCKED).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/statement.h"

namespace heddle::parts {

// The statement as two, the second one with parameters for columns of the row that the first one
// gives.
struct LockedQuery {
  Statement query;
  Statement rest;
  // Of each further parameter of the rest, in their order, the column of the query.
  std::vector<std::size_t> columns;
  // Without a row the rest does nothing, and not only where it looks for one that has its values.
  bool needs_row = false;
};

// In the WITH of an UPDATE, DELETE or INSERT, or behind = or IN; none: there is none, it may give
// more than one row, or what else is done with it is not known. `parameters`: how many the text
// has. PostgreSQL's dialect.
std::optional<LockedQuery> locked_query_in(const std::string& text, std::size_t parameters);

}  // namespace heddle::parts

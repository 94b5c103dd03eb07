// The rows that a user gives, as a store makes them of the user's SQL.
#pragma once

#include <vector>

#include "find/search/filled_row.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle::find {

// Runs the SQL on tables of the program, in a database of its own, and reads what they hold then; a
// row comes after those that it refers to. The program outlives them. Errors: the store refuses the
// tables or the SQL (bad_input); there are too many rows; the store cannot be reached.
Result<std::vector<FilledRow>> read_initial_rows(const Program& program, const StoreAddresses& on,
                                                 const SourceText& sql);

}  // namespace heddle::find

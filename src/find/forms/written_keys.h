// What the store looks at before it takes what a statement writes: unique keys of rows that get new
// ones, and checks. Where a row has that key already, or a check fails, it refuses the statement.
#pragma once

#include "find/forms/statement_form.h"
#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle::find {

// Adds a source for each unique key that an UPDATE changes, or that rows have which an INSERT makes
// of a query, or of which it makes several: the rows in which it is looked for. An INSERT of one
// row knows by itself what is in its way (StatementForm::checks_keys).
void add_taken_keys(const Statement& statement, const Schema& schema, StatementForm& form);

// Adds the checks that the store makes of rows which the statement writes, and the columns that
// these read besides what is written.
void add_checks(const Schema& schema, StatementForm& form);

}  // namespace heddle::find

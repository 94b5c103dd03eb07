// What else goes when rows are deleted: rows that refer to them, where their foreign keys say ON
// DELETE CASCADE.
#pragma once

#include "find/terms/statement_form.h"
#include "heddle/schema.h"

namespace heddle::find {

// Of a DELETE from one table: sources for the tables whose rows go with its rows, and with those in
// turn. Of a table that is among them already only what goes for the first reason.
void add_cascades(const Schema& schema, StatementForm& form);

}  // namespace heddle::find

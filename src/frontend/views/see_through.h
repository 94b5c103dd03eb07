// Statements on views and derived tables, as statements on the tables behind them.
#pragma once

#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle::views {

// Puts the queries of the schema's views in the place of their names: what reads a view reads a
// derived table; what changes one whose rows are those of one table, column by column, changes that
// table where the view's condition holds (PostgreSQL's updatable views); what locks one locks the
// tables behind it. Any other change of a view is added to `over_approximated`. Then derived tables
// are looked through (with_queries_pulled_up): the statement says what it does with the tables in
// them, while its text stays. The text is in PostgreSQL's syntax, whatever the schema's dialect.
void see_through(Statement& statement, const Schema& schema);

}  // namespace heddle::views

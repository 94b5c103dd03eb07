// Queries in FROM, as tables and conditions of the query around them.
#pragma once

#include <optional>
#include <string>

#include "heddle/schema.h"

namespace heddle::views {

// The text of a statement that gives the same rows from the same tables with its derived tables
// replaced by what is in them: SELECT x.b FROM (SELECT id, b FROM account WHERE c) AS x WHERE
// x.id = 1 is SELECT x.b FROM account AS x WHERE (x.c) AND (x.id = 1). Queries with groups, limits,
// DISTINCT, orders, locks, queries of their own, or in places where they may be missing, stay;
// none: all do. The text is in PostgreSQL's syntax.
// Source: the planner's pull_up_subqueries(), PostgreSQL,
// src/backend/optimizer/prep/prepjointree.c.
std::optional<std::string> with_queries_pulled_up(const std::string& text, const Schema& schema);

}  // namespace heddle::views

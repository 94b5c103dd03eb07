// Changes of views, and the names of what a view gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/sql/tree.h"
#include "heddle/schema.h"

namespace heddle::views {

// The query with these names for what it gives; none: it has no list with one entry for each.
std::optional<std::string> with_output_names(const std::string& query,
                                             const std::vector<std::string>& names);

// The text of a statement that changes the view, with the table in its place whose rows the view
// has; none: the view has no such table, or the statement no such form. `range` and `statement` are
// the view's name and what changes it, in the tree of `text`.
// Source: PostgreSQL's documentation, CREATE VIEW, "Updatable Views".
std::optional<std::string> change_behind(const std::string& text, const sql::Node& range,
                                         const sql::Node& statement, const View& view,
                                         const std::string& query);

}  // namespace heddle::views

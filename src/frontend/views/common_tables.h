// Common tables that are asked once, as derived tables.
#pragma once

#include <optional>
#include <string>

namespace heddle::views {

// The text of a statement whose queries in WITH stand where they are named: WITH x AS (SELECT ...)
// SELECT b FROM x is SELECT b FROM (SELECT ...) AS x. Those that are named more than once, are
// recursive, change rows or give their columns other names stay; none: all do. The text is in
// PostgreSQL's syntax.
// Source: PostgreSQL's documentation, WITH Queries, "Common Table Expression Materialization".
std::optional<std::string> with_common_tables_inlined(const std::string& text);

}  // namespace heddle::views

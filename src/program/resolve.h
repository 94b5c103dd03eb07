// Columns of statements as a schema knows them.
#pragma once

#include <string>
#include <vector>

#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle::program {

// Replaces `*` by the columns of the table, and leaves out columns that a table does not have and
// another of the statement's tables has. Returns what the schema does not know: such tables and
// columns stay as they are. Names compare as the schema's dialect says.
std::vector<std::string> resolve_columns(Statement& statement, const Schema& schema);

// How statements name what a schema of the dialect names so: they are PostgreSQL's, in which the
// names of other dialects are in lower case.
std::string name_in_statements(const std::string& name, Dialect dialect);

}  // namespace heddle::program

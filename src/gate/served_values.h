// What the replicated store gave, as a server of PostgreSQL says it to a driver.
#pragma once

#include <optional>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/result.h"
#include "wire/postgres/messages.h"
#include "wire/postgres/unit_answers.h"

namespace heddle {

// Error: a column has a type of which heddle tells drivers nothing.
Result<std::vector<postgres::FieldDescription>> served_columns(const std::vector<Column>& columns);

// Error: a value is none of its column's type, since SQLite keeps any in any column.
Result<postgres::StatementResult> served_result(const ResultSet& result);

}  // namespace heddle

// The tables of a database of PostgreSQL.
#pragma once

#include "heddle/result.h"
#include "store/postgres/session.h"
#include "store/schema_text.h"

namespace heddle {

// From its catalogue. `text` stays empty where there are no tables.
Result<SchemaText> read_postgres_schema(const ConnectionParameters& parameters);

}  // namespace heddle

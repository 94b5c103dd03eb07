// What a trace says of a store's tables, from PostgreSQL's catalogue.
#pragma once

#include <string>

#include "heddle/result.h"
#include "heddle/trace.h"

namespace heddle {

// The tables and views of the database, with their columns, keys, triggers and queries, the
// functions that somebody has made in it, and the level of transactions that name none. Errors:
// bad_input where the address is none of PostgreSQL's, environment where the server cannot be
// asked.
Result<TraceCatalogue> read_postgres_catalogue(const std::string& address);

}  // namespace heddle

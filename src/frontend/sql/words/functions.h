// What is known of functions by name.
#pragma once

#include <string_view>

#include "heddle/statement.h"

namespace heddle::sql {

struct FunctionTraits {
  bool known = false;          // neither reads nor writes tables
  bool generated = false;      // its value comes from a sequence, the clock, random or the session
  bool aggregate = false;      // sees many rows at once
  bool set_returning = false;  // gives several rows
};

// `name` in lower case; "schema.name" unless the schema is pg_catalog.
FunctionTraits find_function(std::string_view name, Dialect dialect);

// Columns that every table of PostgreSQL has and whose values differ from run to run.
bool is_system_column(std::string_view name);

}  // namespace heddle::sql

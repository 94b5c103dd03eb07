// MariaDB's types as PostgreSQL calls those with the same values: what functionalities compute
// with.
#pragma once

#include <mysql.h>
#include <string>

#include "heddle/outcome.h"

namespace heddle {

// "integer", "numeric(10,2)". BOOLEAN is a TINYINT(1) there.
std::string postgres_type(const MYSQL_FIELD& field);

// Sets the types of the columns. REQUIRES: the set was made from the result.
void add_types(MYSQL_RES* result, ResultSet& set);

}  // namespace heddle

// Names of types.
#pragma once

#include <string>

#include "frontend/sql/tree.h"

namespace heddle::plpgsql {

// The content of a TypeName of PostgreSQL's tree, as PostgreSQL writes it: numeric(12,2), text[].
std::string type_text(const sql::Node& type);

}  // namespace heddle::plpgsql

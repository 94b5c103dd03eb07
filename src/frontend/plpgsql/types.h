// Names of types.
#pragma once

#include <string>
#include <vector>

#include "frontend/sql/tree.h"
#include "heddle/program.h"

namespace heddle::plpgsql {

// The content of a TypeName of PostgreSQL's tree, as PostgreSQL writes it: numeric(12,2), text[].
std::string type_text(const sql::Node& type);

// The type of a value of variables of these types; empty: it is not known. A field of a row has the
// type that all columns of its name have.
std::string type_of_value(const Expression& value, const std::vector<Variable>& variables,
                          const Schema& schema);

}  // namespace heddle::plpgsql

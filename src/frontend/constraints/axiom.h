// Axioms of users: formulas over operations, such as `vis(a,b) and vis(b,c) imply vis(a,c)`.
#pragma once

#include <string>

#include "heddle/constraints.h"
#include "heddle/scenario.h"

namespace heddle {

// Reads the formula of an axiom. Errors: bad_input with the position in `file`.
Result<OrderAxiom> read_axiom(std::string name, const SqlBlock& formula, const std::string& file);

}  // namespace heddle

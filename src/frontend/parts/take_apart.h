// Statements that change rows within WITH, as several.
#pragma once

#include "heddle/program.h"

namespace heddle::parts {

// Puts what a statement changes within its WITH in front of it, as statements that are parts of it;
// then the statement does only what is left. For programs in PostgreSQL's dialect.
void take_apart(Functionality& functionality);

}  // namespace heddle::parts

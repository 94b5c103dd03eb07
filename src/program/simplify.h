// Programs in as few actions as say the same.
#pragma once

#include "heddle/program.h"

namespace heddle::program {

// A query whose only row is fetched at once becomes one statement, a loop that fetches all rows a
// RowLoop; what nobody uses is not assigned; branches that do nothing go.
void simplify(Functionality& functionality);

// Gives parameters and variables names that neither the schema nor a statement uses for anything
// else, in lower case.
void rename_variables(Functionality& functionality, const Schema& schema);

}  // namespace heddle::program

// Functionalities that have transactions open on several connections at the same time.
#pragma once

#include "heddle/program.h"

namespace heddle::program {

// Whether its statements run on more than one connection (ProgramStatement::connection).
bool uses_several_connections(const Functionality& functionality);

// Numbers the connections 0, 1, ... in the order in which the text has them; 0 stays what it is
// where it occurs.
void number_connections(Functionality& functionality);

// All statements run on one connection, so that each COMMIT ends all that is open. Returns whether
// there were several.
bool join_connections(Functionality& functionality);

}  // namespace heddle::program

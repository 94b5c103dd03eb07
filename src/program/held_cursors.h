// Cursors whose rows a client has.
#pragma once

#include <set>
#include <string>

#include "heddle/program.h"

namespace heddle::program {

// Those that stay when their transaction ends: a COMMIT right behind the OPEN is that of a driver
// that commits after each statement, which has fetched all rows before. In PL/pgSQL such a COMMIT
// makes no sense, because nothing could be fetched any more.
std::set<std::string> held_cursors(const Functionality& functionality);

}  // namespace heddle::program

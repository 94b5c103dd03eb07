// Which statements' counts of rows the client looks at.
#pragma once

#include <set>

#include "heddle/program.h"

namespace heddle::program {

// Those after which, before another statement, `found` is looked at or the rows are counted.
std::set<const ProgramStatement*> observed_statements(const Functionality& functionality);

}  // namespace heddle::program

// Functionalities that somebody has cut into parts by hand, put together again.
#pragma once

#include <string>
#include <vector>

#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle {

// The parts one after the other, with a COMMIT between each and the next. Parameters of one name
// and type are one; what parts return goes nowhere. REQUIRES: there are parts.
Functionality join_parts(const std::string& name, const std::vector<Functionality>& parts,
                         const Schema& schema);

}  // namespace heddle

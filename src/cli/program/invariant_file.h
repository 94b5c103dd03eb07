// Files of invariants, which say what must hold when all is done.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"
#include "heddle/scenario.h"

namespace heddle {

// Reads items of a spec file: invariant NAME { SELECT ... }. Error: bad_input for anything else.
Result<std::vector<Invariant>> read_invariants(const std::string& path);

}  // namespace heddle

// Files of invariants, which say what must hold when all is done.
#pragma once

#include <string>
#include <vector>

#include "heddle/program.h"
#include "heddle/result.h"
#include "heddle/scenario.h"

namespace heddle {

// Who asks what must hold.
struct InvariantUse {
  Dialect dialect = Dialect::postgres;  // of the store
  bool has_calls = true;  // calls are made to their end there, so that one may ask about them
};

// Of the store that --on names.
Dialect dialect_of_store(const std::string& on);

// Reads items of a spec file: invariant NAME { SELECT ... }. Error: bad_input for anything else,
// and for an `initial.TABLE` or `calls.FUNCTIONALITY` that the program does not have.
Result<std::vector<Invariant>> read_invariants(const std::string& path, const Program& program,
                                               const InvariantUse& use);

}  // namespace heddle

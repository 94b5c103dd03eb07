// Sessions of several calls across a cut: each call is chopped as it is alone.
#pragma once

#include <cstddef>

#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/result.h"
#include "heddle/split.h"

namespace heddle::chopping {

// Adds sessions to both, as with_sessions() does, and says of those of the chopped program what is
// known of its functionalities. `program`: the uncut one. Errors: as with_sessions().
Result<void> add_sessions(const FindOptions& options, std::size_t most, Program& program,
                          ChoppedProgram& chopped);

}  // namespace heddle::chopping

// A realization as a spec file (docs/formats/spec.md): what is executed, and what people keep.
#pragma once

#include <string>
#include <vector>

#include "find/realize.h"
#include "heddle/isolation.h"
#include "heddle/program.h"
#include "heddle/scenario.h"

namespace heddle::find {

// The tables that its functionalities need, its rows, the functionalities, a session for each
// transaction, and its order of steps as the only permutation. `levels`: of each functionality of
// the program. With invariants all tables are there.
std::string realization_text(const Program& program, const Realization& run,
                             const std::vector<FunctionalityLevel>& levels,
                             const std::vector<Invariant>& invariants = {});

}  // namespace heddle::find

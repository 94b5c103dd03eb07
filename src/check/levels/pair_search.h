// Decides what saturation leaves open: of two writers of a key, which one came first, and of
// several writers of a value, which one a read saw. Each is a question to clause_search.h, whose
// answers add edges to the level's graph. First guesses follow one topological order of what is
// known. (Polygraphs: Papadimitriou 1979; as clauses over an acyclic graph: Tan et al., "Cobra",
// OSDI 2020, and Zhang et al., "VeriStrong", 2025.)
#pragma once

#include "check/levels/saturation.h"
#include "check/observation/bounds.h"
#include "check/observation/engine.h"

namespace heddle {

// REQUIRES: saturation.is_complete().
EngineAnswer search_pairs(const Observation& observation, const Saturation& saturation,
                          const LevelShape& shape, Meter& meter);

}  // namespace heddle

// A guess that spares most searches where nobody asks for the order of sessions: real stores run
// most sessions in their order, so that an order of all transactions that follows it is looked for
// first. It is a witness as good as any. A transaction because of which there is none is taken out
// of its session, and the next guess is made.
#pragma once

#include <optional>

#include "check/levels/level_graph.h"
#include "check/observation/bounds.h"
#include "check/observation/engine.h"
#include "check/observation/observation.h"

namespace heddle {

// Satisfied with its order, or none: the guesses say nothing, or a bound was hit. REQUIRES:
// observation.illegal().empty() and !shape.session.
std::optional<EngineAnswer> guess_by_sessions(const Observation& observation,
                                              const LevelShape& shape, Meter& meter);

}  // namespace heddle

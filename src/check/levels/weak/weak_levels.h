// The levels from read uncommitted to transactional causal consistency, in near-linear time.
#pragma once

#include <optional>

#include "check/levels/weak/weak_levels_base.h"
#include "check/levels/weak/weak_levels_graph.h"
#include "check/observation/bounds.h"
#include "check/observation/engine.h"
#include "heddle/isolation.h"

namespace heddle {

// Whether this engine decides the level: read_uncommitted, read_committed,
// read_committed_biswas_enea, read_atomic, transactional_causal.
bool is_weak_level(IsolationLevel level);

// Satisfied with an order, violated with a short cycle, or unknown with a bound hit; an illegal
// operation violates the level with no cycle. Always the same answer for the same observation.
//
// Cost: linear (read uncommitted, read committed); operations to the power of 1.5 (read atomic and
// read committed of Biswas and Enea); operations times sessions (transactional causal), with at
// most half a gigabyte for what transactions see.
// REQUIRES: is_weak_level(level); observation.choices() is empty.
EngineAnswer check_weak_level(const Observation& observation, IsolationLevel level,
                              const OrderSwitches& switches, Meter& meter);

// All orders that the level asks for, in one graph: the level holds when it has no cycle. Where wr
// and so have one already, nothing else needs to be in it. None: a bound was hit.
// REQUIRES: as above; base is that of the level.
std::optional<OrderGraph> weak_level_graph(const Observation& observation, IsolationLevel level,
                                           const BaseOrder& base, Meter& meter);

}  // namespace heddle

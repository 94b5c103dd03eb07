// The session guarantees of Terry et al. (PDIS 1994), in near-linear time.
#pragma once

#include <optional>

#include "check/levels/weak/weak_levels_base.h"
#include "check/levels/weak/weak_levels_graph.h"
#include "check/observation/bounds.h"
#include "check/observation/engine.h"
#include "heddle/isolation.h"

namespace heddle {

// Whether this engine decides the level: read_your_writes, monotonic_reads, monotonic_writes,
// writes_follow_reads.
bool is_session_guarantee(IsolationLevel level);

// Decides read_your_writes, monotonic_reads, monotonic_writes and writes_follow_reads.
//
// Satisfied with an order, violated with a short cycle, or unknown with a bound hit; an illegal
// operation violates the level with no cycle. Always the same answer for the same observation.
//
// Cost: read_your_writes, operations times their logarithm; monotonic_reads, the same with the
// writes of all that each session reads from; the others, per transaction its reads times the
// sessions that it reads from.
// REQUIRES: one of these levels; observation.choices() is empty.
EngineAnswer check_session_guarantee(const Observation& observation, IsolationLevel level,
                                     const OrderSwitches& switches, Meter& meter);

// All orders that the level asks for, in one graph: the level holds when it has no cycle. None: a
// bound was hit. REQUIRES: as above; base is that of the level.
std::optional<OrderGraph> session_guarantee_graph(const Observation& observation,
                                                  IsolationLevel level, const BaseOrder& base,
                                                  Meter& meter);

}  // namespace heddle

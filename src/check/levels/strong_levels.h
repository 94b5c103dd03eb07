// Serializability, snapshot isolation and their like: exact, whatever the values.
#pragma once

#include "check/observation/bounds.h"
#include "check/observation/engine.h"
#include "heddle/isolation.h"

namespace heddle {

// Whether this engine decides the level: prefix, parallel_snapshot, the snapshots, repeatable_read
// and the serializables.
bool is_strong_level(IsolationLevel level);

// First what must hold (saturation.h), then a search for the rest (pair_search.h). Violated: the
// cycle, or none where it took a search to see that no order will do. Unknown: a bound was hit.
// REQUIRES: is_strong_level(level); observation.illegal() is empty.
EngineAnswer check_strong_level(const Observation& observation, IsolationLevel level,
                                const OrderSwitches& switches, Meter& meter);

// Satisfied where lists alone show an order that the level allows; else unknown, and soon.
// REQUIRES: as above.
EngineAnswer order_shown_by_lists(const Observation& observation, IsolationLevel level,
                                  const OrderSwitches& switches, Meter& meter);

}  // namespace heddle

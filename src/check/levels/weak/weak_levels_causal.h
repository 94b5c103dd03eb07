// What transactional causal consistency forces: a transaction sees all from which a path of wr and
// so leads to it.
#pragma once

#include <span>
#include <vector>

#include "check/observation/bounds.h"
#include "check/observation/observation.h"
#include "graph/digraph.h"

namespace heddle {

// Adds the orders between writers that reads force, but for those that follow from wr, so and
// others. False: a bound was hit. REQUIRES: `order` has all nodes, in an order that wr and so
// follow; observation.choices() is empty.
//
// Cost: (reads + nodes) times sessions, and per write the sessions that write its key. Memory:
// `clock_bytes` (but four bytes per node at least) and eight bytes per order found, beside what is
// linear.
bool force_by_causes(const Observation& observation, std::span<const Node> order,
                     std::vector<Arc>& arcs, Meter& meter, std::size_t clock_bytes = 512'000'000);

}  // namespace heddle

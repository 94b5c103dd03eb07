// Why a cycle of transactions is one: the kind of each edge, and of those that follow from what
// somebody sees, who that is and how.
#pragma once

#include <span>
#include <vector>

#include "check/levels/weak/weak_levels_base.h"
#include "check/observation/engine.h"
#include "check/observation/observation.h"
#include "graph/digraph.h"
#include "heddle/isolation.h"

namespace heddle {

// The edges of a cycle that the level's axioms make, in the order of the nodes. Where one edge can
// be explained in several ways wr is preferred, then ww that lists show, so, rt, and last forced
// ww, with the read by a transaction that sees `from`, and the path by which it does. A ww from
// kInitialNode needs no explanation.
//
// Cost: linear in the history; at the causal level that times the edges.
// REQUIRES: the arcs were made by the engine of the level (weak_levels.h, session_guarantees.h).
std::vector<OrderEdge> labelled_cycle(const Observation& observation, std::span<const Node> cycle,
                                      IsolationLevel level, const BaseOrder& base);

// The same of single arcs between different nodes, none of them from kInitialNode: one edge each,
// in their order. Arcs from one node should stand side by side, which saves time.
// REQUIRES: as above; no arc begins or ends at an auxiliary node.
std::vector<OrderEdge> labelled_arcs(const Observation& observation, std::span<const Arc> arcs,
                                     IsolationLevel level, const BaseOrder& base);

}  // namespace heddle

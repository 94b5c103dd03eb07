// Whether an order of the transactions explains every read: the axioms of a level, spelled out. But
// for Observation and RealTime it shares nothing with the engines, so that it can judge what they
// answer.
#pragma once

#include <optional>
#include <span>

#include "check/observation/engine.h"
#include "check/observation/observation.h"
#include "heddle/isolation.h"

namespace heddle {

// The axioms that a level puts on the total order co of transactions. The rows of the older levels
// speak of visibility and cycles; here they are in terms of co (docs/levels.md). None: the level is
// not about recorded transactions.
std::optional<std::span<const Axiom>> order_axioms(IsolationLevel level);

// Whether the order satisfies the level, where `chosen` says whose write each of
// observation.choices() saw. Anything may be given: what is no order of all nodes but kInitialNode,
// or chooses what is no candidate, explains nothing.
//
// The switches ask co to contain session order and real time (which contains session order). At
// levels that read snapshots (prefix, parallel_snapshot and the snapshots) a transaction also sees
// what so precedes it: its snapshot is not older than its session, or than the moment it began.
//
// Cost: per read, the writers of its key (and for causal levels nodes times sessions of memory).
// REQUIRES: order_axioms(level).
bool explains(const Observation& observation, std::span<const Node> order,
              std::span<const Node> chosen, IsolationLevel level, const OrderSwitches& switches);

}  // namespace heddle

// The name of a cycle, from its edges.
#pragma once

#include <cstddef>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/dependency.h"
#include "heddle/history.h"

namespace heddle {

// The kinds of edges in the order in which levels rule out cycles of them: each set of kinds up to
// one of these is a graph of its own (G0, G1c, G2-item, G2, and with session order).
enum class EdgeRank : std::uint8_t { overwrite, read_from, item_rw, predicate_rw, session_order };
inline constexpr std::size_t kEdgeRanks = 5;

EdgeRank rank_of(const DependencyEdge& edge);

// REQUIRES: each edge ends in the unit in which the next one starts.
AnomalyKind classify(const std::vector<DependencyEdge>& cycle, const History& history);

// The name of a cycle of such edges on as many rows.
AnomalyKind classify_by_ranks(const std::vector<EdgeRank>& ranks);

// Whether a cycle of kind `stronger` makes one of kind `weaker` through the same units not worth
// a mention: it is at least as grave, and every level that rules `weaker` out rules it out too.
bool says_as_much(AnomalyKind stronger, AnomalyKind weaker);

}  // namespace heddle

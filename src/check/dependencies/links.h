// The dependency graph seen between units: which edges lead from one unit to another, and which
// cycles of edges run along a cycle of units.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "check/dependencies/classify.h"
#include "graph/cycles.h"
#include "graph/digraph.h"
#include "heddle/dependency.h"

namespace heddle {

// A node per transaction, or per session (in the order of session numbers).
struct UnitMap {
  std::vector<NodeIndex> unit_of;  // per transaction
  std::size_t count = 0;
};
UnitMap map_units(const History& history, Unit unit);

using EdgeCycle = std::vector<DependencyEdge>;

// Edges between different units. Of edges between two transactions that differ only in operations
// or versions the first is kept, and an rw edge on a predicate gives way to one on the row itself:
// who read the row need not have searched for it.
class Links {
 public:
  Links(const DependencyGraph& graph, const UnitMap& units);

  // Edges from one unit to another, up to a rank. Empty where there are none.
  EdgeCycle between(NodeIndex from, NodeIndex to, EdgeRank up_to) const;
  // The graph of units with an arc wherever `between` is not empty.
  Digraph digraph(EdgeRank up_to) const;
  // Whether any edge between units has that rank.
  bool has_rank(EdgeRank rank) const;

 private:
  std::size_t units_;
  std::map<std::pair<NodeIndex, NodeIndex>, EdgeCycle> edges_;
};

// Whether cycles with edges of these ranks, one per arc, are not wanted.
using SkipRanks = std::function<bool(const std::vector<EdgeRank>& ranks)>;

// Cycles of edges along a cycle of units: all those on one row, and for each wanted combination of
// ranks as many as it takes to use each edge once. All combinations of edges would be exponentially
// many and say nothing new. At most `limit` of each of the two sorts.
std::vector<EdgeCycle> choose_edges(const Links& links, const NodeCycle& units, EdgeRank up_to,
                                    const SkipRanks& skip, std::size_t limit);

}  // namespace heddle

// Cycles of a directed graph: shortest ones, and all simple ones up to a bound.
#pragma once

#include <vector>

#include "graph/digraph.h"

namespace heddle {

// The nodes of a cycle in order; the arc from the last back to the first closes it.
using NodeCycle = std::vector<NodeIndex>;

// A shortest path from one node to another, both included; empty when there is none. A node
// reaches itself by the path of one node. Linear in the size of the graph.
std::vector<NodeIndex> shortest_path(const Digraph& graph, NodeIndex from, NodeIndex to);

// A shortest cycle that uses the arc, starting with `from`, `to`; empty when there is none.
// REQUIRES: graph.has_arc(from, to).
NodeCycle shortest_cycle_through_arc(const Digraph& graph, NodeIndex from, NodeIndex to);

// A shortest cycle through the node, starting with it; empty when there is none.
NodeCycle shortest_cycle_through_node(const Digraph& graph, NodeIndex node);

struct CycleBounds {
  std::size_t length = 6;       // nodes of a cycle
  std::size_t cycles = 1000;    // cycles listed
  std::size_t steps = 1000000;  // arcs tried
};

struct CycleList {
  std::vector<NodeCycle> cycles;  // shortest first, then by nodes; each begins at its smallest node
  bool complete = true;           // false: the bound on cycles or steps was hit
};

// All simple cycles of at most `bounds.length` nodes.
CycleList simple_cycles(const Digraph& graph, const CycleBounds& bounds);

}  // namespace heddle

// Strongly connected components: maximal sets of nodes that all reach each other.
#pragma once

#include <vector>

#include "graph/digraph.h"

namespace heddle {

// Every node is in exactly one component. Components are sorted by their smallest node, and the
// nodes of each are sorted. Time and memory are linear (times the sorting).
std::vector<std::vector<NodeIndex>> strong_components(const Digraph& graph);

// Those that contain a cycle: of several nodes, or of one with an arc to itself.
std::vector<std::vector<NodeIndex>> cyclic_components(const Digraph& graph);

}  // namespace heddle

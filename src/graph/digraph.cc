#include "graph/digraph.h"

#include <algorithm>

#include "base/assert.h"

namespace heddle {

Digraph::Digraph(std::size_t nodes, std::vector<Arc> arcs) : first_(nodes + 1, 0) {
  std::ranges::sort(arcs);
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  successors_.reserve(arcs.size());
  for (const Arc& arc : arcs) {
    HEDDLE_ASSERT(arc.from < nodes && arc.to < nodes);
    ++first_[arc.from + std::size_t{1}];
    successors_.push_back(arc.to);
  }
  for (std::size_t node = 0; node < nodes; ++node) first_[node + 1] += first_[node];
}

std::span<const NodeIndex> Digraph::successors(NodeIndex node) const {
  HEDDLE_ASSERT(node < node_count());
  return std::span(successors_).subspan(first_[node], first_[node + std::size_t{1}] - first_[node]);
}

bool Digraph::has_arc(NodeIndex from, NodeIndex to) const {
  return std::ranges::binary_search(successors(from), to);
}

Digraph Digraph::reversed() const {
  std::vector<Arc> arcs;
  arcs.reserve(arc_count());
  for (NodeIndex from = 0; from < node_count(); ++from) {
    for (const NodeIndex to : successors(from)) arcs.push_back({to, from});
  }
  return Digraph(node_count(), std::move(arcs));
}

}  // namespace heddle

// A directed graph as nothing but numbered nodes and arcs, compact and immutable. Knows no domain.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle {

using NodeIndex = std::uint32_t;

struct Arc {
  NodeIndex from = 0;
  NodeIndex to = 0;

  friend auto operator<=>(const Arc&, const Arc&) = default;
};

// Successors are kept in one array, node after node, each node's sorted and without duplicates.
class Digraph {
 public:
  // REQUIRES: the ends of all arcs are below `nodes`.
  Digraph(std::size_t nodes, std::vector<Arc> arcs);

  std::size_t node_count() const { return first_.size() - 1; }
  std::size_t arc_count() const { return successors_.size(); }
  // REQUIRES: node < node_count().
  std::span<const NodeIndex> successors(NodeIndex node) const;
  bool has_arc(NodeIndex from, NodeIndex to) const;
  // All arcs turned around.
  Digraph reversed() const;

 private:
  std::vector<std::size_t> first_;  // per node, and one more: where its successors begin
  std::vector<NodeIndex> successors_;
};

}  // namespace heddle

// "From must come before to" between the nodes of an observation, as compact as it can be: only the
// arcs into each node, in arrays of 32-bit numbers. Auxiliary nodes stand for many arcs at once:
// whatever leads to one must come before whatever it leads to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "check/observation/bounds.h"
#include "check/observation/observation.h"
#include "graph/digraph.h"

namespace heddle {

// One array of sources, target after target.
class ArcsInto {
 public:
  ArcsInto() = default;
  // REQUIRES: the ends of all arcs are below `nodes`; fewer than 2^32 arcs.
  ArcsInto(std::size_t nodes, std::span<const Arc> arcs);

  // By hand: all arcs into node 0, then those into node 1, and so on.
  void reserve(std::size_t nodes, std::size_t arcs);
  void add(Node from) { sources_.push_back(from); }
  void finish_node() { begins_.push_back(static_cast<std::uint32_t>(sources_.size())); }

  std::size_t node_count() const { return begins_.size() - 1; }
  std::span<const Node> of(Node to) const {
    return {sources_.data() + begins_[to], begins_[to + 1] - begins_[to]};
  }

 private:
  std::vector<std::uint32_t> begins_ = {0};
  std::vector<Node> sources_;
};

class OrderGraph {
 public:
  // Nodes from `real` on are auxiliary.
  OrderGraph(std::size_t real, ArcsInto arcs) : real_(real), fixed_(std::move(arcs)) {}

  // Replaces those set before. REQUIRES: not fewer nodes than the other arcs have.
  void set_forced(ArcsInto arcs) { forced_ = std::move(arcs); }

  std::size_t real_count() const { return real_; }
  std::size_t node_count() const { return std::max(fixed_.node_count(), forced_.node_count()); }
  bool is_real(Node node) const { return node < real_; }

  std::span<const Node> fixed(Node node) const {
    return node < fixed_.node_count() ? fixed_.of(node) : std::span<const Node>();
  }
  std::span<const Node> forced(Node node) const {
    return node < forced_.node_count() ? forced_.of(node) : std::span<const Node>();
  }

 private:
  std::size_t real_;
  ArcsInto fixed_;
  ArcsInto forced_;
};

// All nodes in an order that the arcs follow, always the same one; empty when there is a cycle or a
// bound was hit. Linear.
std::vector<Node> topological_order(const OrderGraph& graph, Meter& meter);

// Of a chain of nodes each of which comes before the next: the one before this, kInitialNode where
// there is none.
using ChainPredecessor = std::function<Node(Node)>;

// The real nodes of a short cycle, in the direction of its arcs: a shortest one in small graphs,
// else the shortest found with bounded effort. Going back in a chain, however far, is one step.
// REQUIRES: there is a cycle, and each has two real nodes at least; the arcs of chains are arcs of
// the graph.
std::vector<Node> short_cycle(const OrderGraph& graph, const ChainPredecessor& before);

}  // namespace heddle

// Reachability in a level's graph by chain clocks. The nodes are parted into chains, in each of
// which every node commits before the next one begins; a point then needs one number per chain: how
// far into it the points go that reach this one. (Chain decomposition: Jagadish, "A compression
// technique to materialize transitive closure", TODS 15(4), 1990; vector clocks are the case in
// which the chains are the sessions.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/levels/level_graph.h"

namespace heddle {

class Chains {
 public:
  // Greedy: each node goes to the end of a chain that leads to it, its session's first of all.
  // REQUIRES: `order` is topological for the edges; among these so, wr and rt edges lead from
  // commit to begin and make chains.
  Chains(const LevelShape& shape, std::size_t nodes, std::span<const KnownEdge> edges,
         std::span<const Point> order);

  std::size_t count() const { return count_; }  // chains are numbered from the longest
  std::uint32_t chain_of(Node node) const { return chain_of_[node]; }
  std::uint32_t place_of(Node node) const { return place_of_[node]; }
  // Of a point among those of its chain, counted from 1.
  std::uint32_t position(const LevelShape& shape, Point point) const {
    const Node node = shape.node_of(point);
    return (shape.split ? 2 : 1) * place_of_[node] + (point - shape.begin(node)) + 1;
  }

 private:
  void number_from_longest(const std::vector<Node>& last);

  std::vector<std::uint32_t> chain_of_;
  std::vector<std::uint32_t> place_of_;
  std::uint32_t count_ = 0;
};

// Per point and chain, how many points of that chain's nodes (two for each node where a level
// splits them, in order) reach the point; the point itself counts.
class ChainClocks {
 public:
  // Only the first `tracked` chains are followed; others seem to reach nothing outside themselves.
  // REQUIRES: `order` is topological for all edges. Time: edges times tracked chains.
  void compute(const LevelShape& shape, const Chains& chains, std::size_t tracked,
               const PointGraph& graph, std::span<const Point> order);

  // How many points of the chain are known to reach the point.
  std::uint32_t at(Point point, std::uint32_t chain) const {
    return chain < tracked_ ? clocks_[std::size_t{point} * tracked_ + chain] : 0;
  }

 private:
  void merge(Point from, Point into);

  std::size_t tracked_ = 0;
  std::vector<std::uint32_t> clocks_;
};

}  // namespace heddle

// The graph whose cycles make a history illegal at a strong level. A node has one point in it, or
// two, its begin and its commit, where a transaction reads at one moment and writes at another:
//
//   serializable    wr w->r    ww w->w'                  rw r->w'
//   snapshot        wr Cw->Br  ww Cw->Bw' (no overlap)   rw Br->Cw'
//   prefix          wr Cw->Br  ww Cw->Cw'                rw Br->Cw'
//   parallel        wr w->r    ww w->w'                  rw is no edge: w' must not reach r
//
// Session order and real time lead from commit to begin. A history is legal when the writers of
// each key can be ordered so that the graph has no cycle. Serializability: Papadimitriou 1979;
// snapshots as two points: Zhang et al., "Viper" (EuroSys 2023); prefix and parallel: Cerone and
// Gotsman, "Analysing Snapshot Isolation" (PODC 2016).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/observation/engine.h"
#include "check/observation/observation.h"
#include "heddle/isolation.h"

namespace heddle {

using Point = std::uint32_t;

// What a level makes of nodes and dependencies.
struct LevelShape {
  bool split = false;   // two points per node
  bool overlap = true;  // writers of one key may overlap; only with `split` it can matter
  bool rw_is_edge = true;
  bool session = false;
  bool realtime = false;

  Point begin(Node node) const { return split ? 2 * node : node; }
  Point commit(Node node) const { return split ? 2 * node + 1 : node; }
  // Where a ww edge enters its later writer.
  Point overwrite(Node node) const { return overlap ? commit(node) : begin(node); }
  Node node_of(Point point) const { return split ? point / 2 : point; }
  std::size_t point_count(std::size_t nodes) const { return split ? 2 * nodes : nodes; }
};

// REQUIRES: the level is prefix, parallel_snapshot, snapshot, serializable or repeatable_read, or a
// stronger variant of these.
LevelShape shape_of(IsolationLevel level, const OrderSwitches& switches);

// An edge between nodes and the points it joins. Edges are kept in the order in which they were
// found: what an edge is derived from stands before it.
struct KnownEdge {
  DependencyKind kind = DependencyKind::so;
  Node from = kInitialNode;
  Node to = kInitialNode;
  KeyId key;
  std::uint32_t read = kNoRead;
};

Point tail_of(const LevelShape& shape, const KnownEdge& edge);
Point head_of(const LevelShape& shape, const KnownEdge& edge);

// Edges out of each point, by the numbers of the edges; begin -> commit is not among them.
class PointGraph {
 public:
  PointGraph(const LevelShape& shape, std::size_t nodes, std::span<const KnownEdge> edges);

  std::size_t size() const { return begins_.size() - 1; }
  std::span<const std::uint32_t> out(Point point) const {
    return {edges_.data() + begins_[point], begins_[point + 1] - begins_[point]};
  }
  // Where these lead, one by one.
  std::span<const Point> heads(Point point) const {
    return {heads_.data() + begins_[point], begins_[point + 1] - begins_[point]};
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> edges_;
  std::vector<Point> heads_;
};

// Points in an order that all edges follow, smallest first where there is a choice by `rank` (per
// node); empty when there is a cycle.
std::vector<Point> topological_points(const LevelShape& shape, const PointGraph& graph,
                                      std::span<const std::uint32_t> rank);

// The edges of a short cycle in each strong component that has one.
std::vector<std::vector<std::uint32_t>> short_cycles(const LevelShape& shape,
                                                     const PointGraph& graph,
                                                     std::span<const KnownEdge> edges);

// The shortest of these. REQUIRES: there is one.
std::vector<std::uint32_t> shortest_cycle(const LevelShape& shape, const PointGraph& graph,
                                          std::span<const KnownEdge> edges);

// The edges of a shortest path among the first `limit` edges; empty when there is none or from is
// to.
std::vector<std::uint32_t> shortest_path(const LevelShape& shape, const PointGraph& graph,
                                         std::span<const KnownEdge> edges, Point from, Point to,
                                         std::size_t limit);

}  // namespace heddle

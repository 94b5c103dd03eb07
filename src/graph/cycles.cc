// Shortest cycles are breadth-first searches. Simple cycles are listed length by length, so that a
// bound keeps the shortest: for each start node in turn, a depth-first search over the larger nodes
// of its component, which goes only where the start is still near enough to close the cycle in
// exactly that length. The distances to the start come from one backward search per start. That is
// the idea of Johnson (SIAM Journal on Computing 4(1), 1975) with distances, for short cycles, in
// place of his blocking lists.
#include "graph/cycles.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "graph/components.h"

namespace heddle {

namespace {

constexpr std::size_t kFar = std::numeric_limits<std::size_t>::max();

// Shortest distances from `start` along the arcs, through nodes that `allowed` says.
template <class Allowed>
std::vector<std::size_t> distances(const Digraph& graph, NodeIndex start, Allowed allowed) {
  std::vector<std::size_t> distance(graph.node_count(), kFar);
  std::vector<NodeIndex> queue = {start};
  distance[start] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const NodeIndex next : graph.successors(queue[head])) {
      if (distance[next] != kFar || !allowed(next)) continue;
      distance[next] = distance[queue[head]] + 1;
      queue.push_back(next);
    }
  }
  return distance;
}

// Lists the cycles of exactly `length` nodes whose smallest node is `start`.
class Enumeration {
 public:
  Enumeration(const Digraph& graph, const CycleBounds& bounds)
      : graph_(graph),
        backwards_(graph.reversed()),
        bounds_(bounds),
        component_(graph.node_count(), kFar),
        on_path_(graph.node_count(), false) {
    components_ = cyclic_components(graph);
    for (std::size_t i = 0; i < components_.size(); ++i) {
      for (const NodeIndex node : components_[i]) component_[node] = i;
    }
  }

  CycleList run() {
    std::size_t longest = 0;
    for (const auto& component : components_) longest = std::max(longest, component.size());
    for (length_ = 1; length_ <= std::min(bounds_.length, longest); ++length_) {
      for (NodeIndex start = 0; start < graph_.node_count() && list_.complete; ++start) {
        if (component_[start] != kFar) list_from(start);
      }
    }
    return std::move(list_);
  }

 private:
  struct Visit {
    NodeIndex node;
    std::size_t next_successor;
  };

  void list_from(NodeIndex start) {
    distance_to_start_ = distances(backwards_, start, [&](NodeIndex node) {
      return node > start && component_[node] == component_[start];
    });
    path_ = {{start, 0}};
    on_path_[start] = true;
    while (!path_.empty()) {
      const auto successors = graph_.successors(path_.back().node);
      if (!list_.complete || path_.back().next_successor == successors.size()) {
        on_path_[path_.back().node] = false;
        path_.pop_back();
        continue;
      }
      visit(start, successors[path_.back().next_successor++]);
    }
  }

  void visit(NodeIndex start, NodeIndex next) {
    if (++steps_ > bounds_.steps) {
      list_.complete = false;
    } else if (next == start && path_.size() == length_) {
      close();
    } else if (path_.size() < length_ && !on_path_[next] &&
               distance_to_start_[next] <= length_ - path_.size()) {
      on_path_[next] = true;
      path_.push_back({next, 0});
    }
  }

  void close() {
    if (list_.cycles.size() == bounds_.cycles) {
      list_.complete = false;
      return;
    }
    NodeCycle cycle;
    for (const Visit& visited : path_) cycle.push_back(visited.node);
    list_.cycles.push_back(std::move(cycle));
  }

  const Digraph& graph_;
  const Digraph backwards_;
  const CycleBounds bounds_;
  std::vector<std::vector<NodeIndex>> components_;
  std::vector<std::size_t> component_;  // per node; kFar: on no cycle
  std::vector<std::size_t> distance_to_start_;
  std::vector<bool> on_path_;
  std::vector<Visit> path_;
  std::size_t length_ = 0;
  std::size_t steps_ = 0;
  CycleList list_;
};

}  // namespace

std::vector<NodeIndex> shortest_path(const Digraph& graph, NodeIndex from, NodeIndex to) {
  // Searching backwards from the end leaves distances along which the path runs downhill.
  const std::vector<std::size_t> distance =
      distances(graph.reversed(), to, [](NodeIndex) { return true; });
  if (distance[from] == kFar) return {};
  std::vector<NodeIndex> path = {from};
  while (path.back() != to) {
    const auto successors = graph.successors(path.back());
    const auto next = std::ranges::find_if(successors, [&](NodeIndex node) {
      return distance[node] != kFar && distance[node] + 1 == distance[path.back()];
    });
    HEDDLE_ASSERT(next != successors.end());
    path.push_back(*next);
  }
  return path;
}

NodeCycle shortest_cycle_through_arc(const Digraph& graph, NodeIndex from, NodeIndex to) {
  HEDDLE_ASSERT(graph.has_arc(from, to));
  NodeCycle cycle = shortest_path(graph, to, from);
  if (cycle.empty()) return {};
  std::ranges::rotate(cycle, cycle.end() - 1);
  return cycle;
}

NodeCycle shortest_cycle_through_node(const Digraph& graph, NodeIndex node) {
  const std::vector<std::size_t> distance =
      distances(graph.reversed(), node, [](NodeIndex) { return true; });
  const auto successors = graph.successors(node);
  const auto nearest = std::ranges::min_element(
      successors, {}, [&](NodeIndex successor) { return distance[successor]; });
  if (nearest == successors.end() || distance[*nearest] == kFar) return {};
  return shortest_cycle_through_arc(graph, node, *nearest);
}

CycleList simple_cycles(const Digraph& graph, const CycleBounds& bounds) {
  return Enumeration(graph, bounds).run();
}

}  // namespace heddle

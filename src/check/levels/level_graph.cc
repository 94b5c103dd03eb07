#include "check/levels/level_graph.h"

#include <algorithm>
#include <queue>

#include "base/assert.h"
#include "graph/components.h"

namespace heddle {

LevelShape shape_of(IsolationLevel level, const OrderSwitches& switches) {
  LevelShape shape;
  shape.session = switches.session || switches.realtime;
  shape.realtime = switches.realtime;
  switch (level) {
    case IsolationLevel::prefix:
      shape.split = true;
      shape.session = true;
      return shape;
    case IsolationLevel::parallel_snapshot:
      shape.rw_is_edge = false;
      shape.session = true;
      return shape;
    case IsolationLevel::strong_session_snapshot:
      shape.session = true;
      [[fallthrough]];
    case IsolationLevel::snapshot:
      shape.split = true;
      shape.overlap = false;
      return shape;
    case IsolationLevel::strict_serializable:
      shape.realtime = true;
      [[fallthrough]];
    case IsolationLevel::strong_session_serializable:
      shape.session = true;
      [[fallthrough]];
    case IsolationLevel::serializable:
    case IsolationLevel::repeatable_read:
      return shape;
    default:
      break;
  }
  HEDDLE_ASSERT(false);
}

Point tail_of(const LevelShape& shape, const KnownEdge& edge) {
  return edge.kind == DependencyKind::rw ? shape.begin(edge.from) : shape.commit(edge.from);
}

Point head_of(const LevelShape& shape, const KnownEdge& edge) {
  switch (edge.kind) {
    case DependencyKind::ww:
      return shape.overwrite(edge.to);
    case DependencyKind::rw:
      return shape.commit(edge.to);
    case DependencyKind::wr:
    case DependencyKind::so:
    case DependencyKind::rt:
      return shape.begin(edge.to);
  }
  HEDDLE_ASSERT(false);
}

PointGraph::PointGraph(const LevelShape& shape, std::size_t nodes,
                       std::span<const KnownEdge> edges) {
  begins_.assign(shape.point_count(nodes) + 1, 0);
  for (const KnownEdge& edge : edges) ++begins_[tail_of(shape, edge) + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  edges_.resize(edges.size());
  heads_.resize(edges.size());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::uint32_t place = next[tail_of(shape, edges[i])]++;
    edges_[place] = static_cast<std::uint32_t>(i);
    heads_[place] = head_of(shape, edges[i]);
  }
}

namespace {

// Calls visit(next point) for every edge out of the point, begin -> commit included.
template <class Visit>
void for_each_successor(const LevelShape& shape, const PointGraph& graph, Point point,
                        const Visit& visit) {
  if (shape.split && point % 2 == 0) visit(point + 1);
  for (const Point next : graph.heads(point)) visit(next);
}

struct Step {
  Point from = 0;
  std::uint32_t edge = 0;
};
constexpr std::uint32_t kWithinNode = 0xFFFFFFFF;

// Breadth-first search from `from` until `to` is reached; steps.find(p) tells how p was reached.
// REQUIRES: scratch arrays of the graph's size, `stamp` different at each call.
class PathSearch {
 public:
  PathSearch(const LevelShape& shape, const PointGraph& graph, std::span<const KnownEdge> edges)
      : shape_(shape),
        graph_(graph),
        edges_(edges),
        stamps_(graph.size(), 0),
        steps_(graph.size()) {}

  // The edges of a shortest path of at least one edge, and of at most `longest`.
  std::vector<std::uint32_t> find(Point from, Point to, std::size_t limit, std::size_t longest) {
    ++stamp_;
    std::vector<Point> layer = {from};
    for (std::size_t depth = 0; depth < longest && !layer.empty(); ++depth) {
      std::vector<Point> next;
      for (const Point point : layer) {
        if (expand(point, to, limit, next)) return unwind(from, to);
      }
      layer = std::move(next);
    }
    return {};
  }

 private:
  bool expand(Point point, Point to, std::size_t limit, std::vector<Point>& next) {
    const auto reach = [&](Point head, std::uint32_t edge) {
      if (stamps_[head] == stamp_) return false;
      stamps_[head] = stamp_;
      steps_[head] = {point, edge};
      next.push_back(head);
      return head == to;
    };
    if (shape_.split && point % 2 == 0 && reach(point + 1, kWithinNode)) return true;
    return std::ranges::any_of(graph_.out(point), [&](std::uint32_t edge) {
      return edge < limit && reach(head_of(shape_, edges_[edge]), edge);
    });
  }

  std::vector<std::uint32_t> unwind(Point from, Point to) const {
    std::vector<std::uint32_t> path;
    for (Point point = to;;) {
      const Step& step = steps_[point];
      if (step.edge != kWithinNode) path.push_back(step.edge);
      point = step.from;
      if (point == from) break;
    }
    std::ranges::reverse(path);
    return path;
  }

  const LevelShape& shape_;
  const PointGraph& graph_;
  std::span<const KnownEdge> edges_;
  std::vector<std::uint32_t> stamps_;
  std::vector<Step> steps_;
  std::uint32_t stamp_ = 0;
};

constexpr std::size_t kAnyLength = 0xFFFFFFFF;
// Starting points tried in each component; a cycle through the best of them is short enough.
constexpr std::size_t kStartsPerComponent = 200;

}  // namespace

std::vector<Point> topological_points(const LevelShape& shape, const PointGraph& graph,
                                      std::span<const std::uint32_t> rank) {
  std::vector<std::uint32_t> waiting(graph.size(), 0);
  for (Point point = 0; point < graph.size(); ++point) {
    for_each_successor(shape, graph, point, [&](Point next) { ++waiting[next]; });
  }
  using Ranked = std::pair<std::uint32_t, Point>;
  std::priority_queue<Ranked, std::vector<Ranked>, std::greater<>> ready;
  for (Point point = 0; point < graph.size(); ++point) {
    if (waiting[point] == 0) ready.emplace(rank[shape.node_of(point)], point);
  }
  std::vector<Point> order;
  order.reserve(graph.size());
  while (!ready.empty()) {
    const Point point = ready.top().second;
    ready.pop();
    order.push_back(point);
    for_each_successor(shape, graph, point, [&](Point next) {
      if (--waiting[next] == 0) ready.emplace(rank[shape.node_of(next)], next);
    });
  }
  if (order.size() < graph.size()) order.clear();
  return order;
}

std::vector<std::vector<std::uint32_t>> short_cycles(const LevelShape& shape,
                                                     const PointGraph& graph,
                                                     std::span<const KnownEdge> edges) {
  std::vector<Arc> arcs;
  for (Point point = 0; point < graph.size(); ++point) {
    for_each_successor(shape, graph, point, [&](Point next) { arcs.push_back({point, next}); });
  }
  PathSearch search(shape, graph, edges);
  std::vector<std::vector<std::uint32_t>> cycles;
  for (const auto& component : cyclic_components(Digraph(graph.size(), std::move(arcs)))) {
    std::vector<std::uint32_t> best;
    std::size_t longest = kAnyLength;
    const std::size_t starts = std::min(component.size(), kStartsPerComponent);
    for (std::size_t i = 0; i < starts; ++i) {
      std::vector<std::uint32_t> found =
          search.find(component[i], component[i], edges.size(), longest);
      if (found.empty() || (!best.empty() && found.size() >= best.size())) continue;
      best = std::move(found);
      longest = shape.split ? 2 * best.size() : best.size();
    }
    cycles.push_back(std::move(best));
  }
  return cycles;
}

std::vector<std::uint32_t> shortest_cycle(const LevelShape& shape, const PointGraph& graph,
                                          std::span<const KnownEdge> edges) {
  std::vector<std::vector<std::uint32_t>> cycles = short_cycles(shape, graph, edges);
  HEDDLE_ASSERT(!cycles.empty());
  return std::move(*std::ranges::min_element(cycles, {}, &std::vector<std::uint32_t>::size));
}

std::vector<std::uint32_t> shortest_path(const LevelShape& shape, const PointGraph& graph,
                                         std::span<const KnownEdge> edges, Point from, Point to,
                                         std::size_t limit) {
  if (from == to) return {};
  return PathSearch(shape, graph, edges).find(from, to, limit, kAnyLength);
}

}  // namespace heddle

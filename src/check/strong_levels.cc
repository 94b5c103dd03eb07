#include "check/strong_levels.h"

#include "base/assert.h"
#include "check/level_graph.h"
#include "check/pair_search.h"
#include "check/saturation.h"

namespace heddle {

namespace {

OrderEdge plain(const KnownEdge& edge) {
  return {edge.kind, edge.from, edge.to, edge.key, edge.read};
}

// The cycle with its reasons: each ww and rw that was derived gets the path that forces it, which
// uses only what was known before.
std::vector<OrderEdge> explained_cycle(const Saturation& saturation, const LevelShape& shape) {
  const std::vector<KnownEdge>& edges = saturation.edges();
  std::vector<OrderEdge> cycle;
  for (const std::uint32_t index : saturation.cycle()) {
    const KnownEdge& edge = edges[index];
    OrderEdge explained = plain(edge);
    std::vector<std::uint32_t> path;
    if (edge.kind == DependencyKind::ww && edge.read != kNoRead) {
      path = shortest_path(shape, saturation.graph(), edges, shape.commit(edge.from),
                           shape.begin(saturation.reader_of(edge.read)), index);
    } else if (edge.kind == DependencyKind::ww) {
      path = shortest_path(shape, saturation.graph(), edges, shape.begin(edge.from),
                           shape.commit(edge.to), index);
    } else if (edge.kind == DependencyKind::rw &&
               saturation.writer_of()[edge.read] != kInitialNode) {
      path = shortest_path(shape, saturation.graph(), edges,
                           shape.overwrite(saturation.writer_of()[edge.read]),
                           shape.commit(edge.to), index);
    }
    for (const std::uint32_t step : path) explained.because.push_back(plain(edges[step]));
    cycle.push_back(std::move(explained));
  }
  return cycle;
}

}  // namespace

bool is_strong_level(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::prefix:
    case IsolationLevel::parallel_snapshot:
    case IsolationLevel::snapshot:
    case IsolationLevel::strong_session_snapshot:
    case IsolationLevel::repeatable_read:
    case IsolationLevel::serializable:
    case IsolationLevel::strong_session_serializable:
    case IsolationLevel::strict_serializable:
      return true;
    default:
      return false;
  }
}

EngineAnswer check_strong_level(const Observation& observation, IsolationLevel level,
                                const OrderSwitches& switches, Meter& meter) {
  HEDDLE_ASSERT(is_strong_level(level) && observation.illegal().empty());
  const LevelShape shape = shape_of(level, switches);
  Saturation saturation(observation, shape, meter);
  saturation.run();
  if (!saturation.cycle().empty()) {
    return {Verdict::violated, {}, {}, explained_cycle(saturation, shape)};
  }
  if (!saturation.is_complete()) return {};
  if (saturation.is_decided()) {
    std::vector<Node> order;
    for (const Point point : saturation.order()) {
      const Node node = shape.node_of(point);
      if (node != kInitialNode && point == shape.commit(node)) order.push_back(node);
    }
    return {Verdict::satisfied, std::move(order), {}, {}};
  }
  return search_pairs(observation, saturation, shape, meter);
}

}  // namespace heddle

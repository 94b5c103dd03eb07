#include "check/levels/strong_levels.h"

#include "base/assert.h"
#include "check/levels/level_graph.h"
#include "check/levels/pair_search.h"
#include "check/levels/saturation.h"

namespace heddle {

namespace {

OrderEdge plain(const KnownEdge& edge) {
  return {edge.kind, edge.from, edge.to, edge.key, edge.read};
}

// Reasons are told to this depth; what is deeper stands without one.
constexpr std::size_t kDeepestReason = 6;

// Gives a ww or rw that was derived the path that forces it, with its own reasons: what an edge was
// derived from stands before it.
class CycleExplainer {
 public:
  CycleExplainer(const Saturation& saturation, const LevelShape& shape)
      : saturation_(saturation), shape_(shape), edges_(saturation.edges()) {}

  std::vector<OrderEdge> explain(const std::vector<std::uint32_t>& path, std::size_t depth) const {
    std::vector<OrderEdge> explained;
    for (const std::uint32_t index : path) {
      explained.push_back(plain(edges_[index]));
      if (depth == kDeepestReason) continue;
      explained.back().because = explain(reason(index), depth + 1);
    }
    return explained;
  }

 private:
  std::vector<std::uint32_t> reason(std::uint32_t index) const {
    const KnownEdge& edge = edges_[index];
    if (edge.kind == DependencyKind::ww && edge.read != kNoRead) {
      return path(shape_.commit(edge.from), shape_.begin(saturation_.reader_of(edge.read)), index);
    }
    if (edge.kind == DependencyKind::ww) {
      return path(shape_.begin(edge.from), shape_.commit(edge.to), index);
    }
    if (edge.kind != DependencyKind::rw) return {};
    const Node seen = saturation_.writer_of()[edge.read];
    if (seen == kInitialNode) return {};
    return path(shape_.overwrite(seen), shape_.commit(edge.to), index);
  }

  std::vector<std::uint32_t> path(Point from, Point to, std::uint32_t limit) const {
    return shortest_path(shape_, saturation_.graph(), edges_, from, to, limit);
  }

  const Saturation& saturation_;
  const LevelShape& shape_;
  const std::vector<KnownEdge>& edges_;
};

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
    return {Verdict::violated,
            {},
            {},
            CycleExplainer(saturation, shape).explain(saturation.cycle(), 0)};
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

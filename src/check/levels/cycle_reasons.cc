#include "check/levels/cycle_reasons.h"

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
    if (saturation_.is_supposed(index)) return {};
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

std::vector<OrderEdge> explained_cycle(const Saturation& saturation, const LevelShape& shape) {
  return CycleExplainer(saturation, shape).explain(saturation.cycle(), 0);
}

std::vector<std::vector<OrderEdge>> explained_cycles(const Saturation& saturation,
                                                     const LevelShape& shape) {
  std::vector<std::vector<OrderEdge>> explained;
  for (const auto& cycle : short_cycles(shape, saturation.graph(), saturation.edges())) {
    explained.push_back(CycleExplainer(saturation, shape).explain(cycle, 0));
  }
  return explained;
}

}  // namespace heddle

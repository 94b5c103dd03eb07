#include "check/levels/strong_levels.h"

#include "base/assert.h"
#include "check/levels/cycle_reasons.h"
#include "check/levels/level_graph.h"
#include "check/levels/pair_search.h"
#include "check/levels/saturation.h"

namespace heddle {

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

#include "check/levels/strong_levels.h"

#include "base/assert.h"
#include "check/levels/cycle_reasons.h"
#include "check/levels/level_graph.h"
#include "check/levels/pair_search.h"
#include "check/levels/saturation.h"
#include "check/levels/session_guess.h"

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
  if (!shape.session) {
    if (auto guessed = guess_by_sessions(observation, shape, meter)) return *std::move(guessed);
  }
  Saturation saturation(observation, shape, meter);
  saturation.run();
  if (!saturation.cycle().empty()) {
    return {Verdict::violated, {}, {}, explained_cycle(saturation, shape)};
  }
  if (!saturation.is_complete()) return {};
  if (saturation.is_decided()) return decided_order(saturation, shape);
  return search_pairs(observation, saturation, shape, meter);
}

EngineAnswer order_shown_by_lists(const Observation& observation, IsolationLevel level,
                                  const OrderSwitches& switches, Meter& meter) {
  HEDDLE_ASSERT(is_strong_level(level) && observation.illegal().empty());
  const LevelShape shape = shape_of(level, switches);
  Saturation saturation(observation, shape, meter);
  saturation.take_order_of_lists();
  return saturation.is_decided() ? decided_order(saturation, shape) : EngineAnswer{};
}

}  // namespace heddle

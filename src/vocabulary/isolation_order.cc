#include "vocabulary/isolation_order.h"

#include "base/assert.h"

namespace heddle {

bool implies(IsolationLevel stronger, IsolationLevel weaker) {
  const auto from = static_cast<std::size_t>(stronger);
  const auto to = static_cast<std::size_t>(weaker);
  HEDDLE_ASSERT(from < isolation_order::kLevelCount && to < isolation_order::kLevelCount);
  return isolation_order::kImplies[from][to];
}

}  // namespace heddle

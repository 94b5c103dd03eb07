// Where a run goes another way than both serial orders.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "race/turns/turn.h"
#include "race/turns/turn_controller.h"

namespace heddle {

// The first unit, in the order of the answers, with which no serial order goes as the run did until
// then: what one party has seen belongs to the one order, and what the other has seen to the other.
// None: each unit, as far as it is equal in all runs of an order, went as in one and the same.
// `orders`: runs of each serial order, by who begins.
std::optional<std::size_t> wrong_unit(const RunRecord& run,
                                      const PerParty<std::vector<RunRecord>>& orders);

}  // namespace heddle

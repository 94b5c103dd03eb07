// The slow oracle of all transactional engines: tries every order and every choice.
#pragma once

#include "check/levels/engine.h"
#include "check/levels/observation.h"
#include "heddle/isolation.h"
#include "heddle/verdict.h"

namespace heddle {

// Satisfied or violated, by explains(). Cost: the factorial of the nodes times all choices.
// REQUIRES: observation.node_count() <= 9; order_axioms(level).
Verdict brute_force_level(const Observation& observation, IsolationLevel level,
                          const OrderSwitches& switches);

}  // namespace heddle

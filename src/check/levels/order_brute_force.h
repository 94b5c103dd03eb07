// The slow oracle of all transactional engines: tries every order and every choice.
#pragma once

#include "check/observation/engine.h"
#include "check/observation/observation.h"
#include "heddle/isolation.h"
#include "heddle/verdict.h"

namespace heddle {

// Satisfied or violated, by explains(). Cost: the factorial of the nodes times all choices.
// REQUIRES: observation.node_count() <= 9; order_axioms(level).
Verdict brute_force_level(const Observation& observation, IsolationLevel level,
                          const OrderSwitches& switches);

// The same of a history in which those of unknown outcome may or may not have happened: all ways.
// REQUIRES: at most 8 transactions that did not abort; order_axioms(level).
Verdict brute_force_history(const TransactionHistory& history, IsolationLevel level,
                            const OrderSwitches& switches);

}  // namespace heddle

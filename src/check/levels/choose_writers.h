// Whose writes were read, where several wrote the same value: for engines that have to be told.
#pragma once

#include "check/observation/bounds.h"
#include "check/observation/engine.h"
#include "check/observation/observation.h"
#include "heddle/isolation.h"

namespace heddle {

// Decides what weak_levels.h and session_guarantees.h decide. A violation has a cycle only where
// one rests on no choice.
// REQUIRES: one of their levels; !observation.choices().empty().
EngineAnswer choose_writers(const Observation& observation, IsolationLevel level,
                            const OrderSwitches& switches, Meter& meter);

}  // namespace heddle

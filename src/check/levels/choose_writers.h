// Whose writes were read, where several wrote the same value: for engines that have to be told.
#pragma once

#include <functional>

#include "check/levels/bounds.h"
#include "check/levels/engine.h"
#include "check/levels/observation.h"

namespace heddle {

// The engine decides an observation without choices; its cycles name the reads that they rest on.
// REQUIRES: !observation.choices().empty().
EngineAnswer choose_writers(const Observation& observation, Meter& meter,
                            const std::function<EngineAnswer(const Observation&)>& engine);

}  // namespace heddle

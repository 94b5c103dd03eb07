// The schedule diagram of a finding of a race: a column per request, and in it what its services
// ask each other and their stores.
#pragma once

#include <cstdint>

#include "heddle/race_finding.h"
#include "report/diagram/diagram.h"

namespace heddle {

// Which steps of the two requests are drawn.
enum class ShownSteps : std::uint8_t {
  that_matter,  // long stretches of others are a row each, so that the diagram fits a screen
  all,
};

Diagram draw(const RaceFinding& finding, ShownSteps shown = ShownSteps::that_matter);

}  // namespace heddle

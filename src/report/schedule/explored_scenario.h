// What reports on several scenarios are made from.
#pragma once

#include <optional>

#include "heddle/explore.h"
#include "heddle/result.h"
#include "heddle/scenario.h"

namespace heddle {

// A scenario and what exploring it gave, or the trouble that kept it from being explored.
struct ExploredScenario {
  Scenario scenario;
  ExploreReport report;
  std::optional<Diagnostic> trouble;
};

}  // namespace heddle

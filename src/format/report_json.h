// The documents of whole commands: "heddle": "explore/1", "why-not/1" and "replay/1"
// (docs/formats/report.md).
#pragma once

#include <string>

#include "heddle/explore.h"
#include "heddle/replay.h"
#include "heddle/why_not.h"

namespace heddle {

std::string to_json(const ExploreReport& report, const Scenario& scenario);
std::string to_json(const WhyNotReport& report, const Scenario& scenario);
std::string to_json(const ReplayReport& report, const Finding& finding);

}  // namespace heddle

// The sentences of a finding: Let ... Then ... However ...
#pragma once

#include "heddle/finding.h"
#include "heddle/outcome.h"

namespace heddle {

// REQUIRES: scenario, schedule, run, serial, cycles and history of the finding are there.
// `initial` are the rows before the first step.
Explanation explain(const Finding& finding, const std::vector<TableState>& initial);

}  // namespace heddle

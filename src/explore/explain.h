// The sentences of a finding: Let ... Then ... However ...
#pragma once

#include <string>
#include <vector>

#include "heddle/finding.h"
#include "heddle/outcome.h"

namespace heddle {

// REQUIRES: scenario, schedule, run, serial, cycles and history of the finding are there.
// `initial` are the rows before the first step.
Explanation explain(const Finding& finding, const std::vector<TableState>& initial);

// Of a run that showed nothing. `equal_order`: a serial order that ends as it did, or none.
// REQUIRES: scenario, schedule and run of the finding are there.
Explanation explain_unconfirmed(const Finding& finding, const std::vector<std::string>& equal_order,
                                const std::vector<TableState>& initial);

}  // namespace heddle

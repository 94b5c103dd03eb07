// The diagram of a finding.
#pragma once

#include <vector>

#include "heddle/finding.h"
#include "report/diagram/diagram.h"

namespace heddle {

// The diagram of the run of a finding, with the values its steps read and wrote. Sessions without
// steps in the schedule have no column.
Diagram draw(const Finding& finding);

// The dependencies of the finding's first cycle, in its order. REQUIRES: `diagram` is drawn from
// `finding`.
std::vector<ShownDependency> shown_dependencies(const Finding& finding, const Diagram& diagram);

}  // namespace heddle

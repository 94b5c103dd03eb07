// The steps of a thread program's execution as a diagram: a column per thread.
#pragma once

#include <vector>

#include "heddle/sched_finding.h"
#include "report/diagram/diagram.h"

namespace heddle {

struct SchedDiagram {
  Diagram diagram;
  // The deciding pair, where both rows are drawn.
  std::vector<ShownDependency> arrows;
};

// What goes on for ever is told by how it begins and how it ends.
SchedDiagram draw(const SchedFinding& finding);

}  // namespace heddle

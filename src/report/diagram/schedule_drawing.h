// The schedule diagram as a drawing: time goes downwards, one column per session, a bar where a
// session waits, and an arrow for each dependency of the cycle.
#pragma once

#include <string>
#include <vector>

#include "report/diagram/diagram.h"

namespace heddle {

// A piece of SVG that takes so many pixels from its origin.
struct Drawing {
  int width = 0;
  int height = 0;
  std::string markup;
};

// REQUIRES: the dependencies are those of the diagram.
Drawing draw_schedule(const Diagram& diagram, const std::vector<ShownDependency>& dependencies);

}  // namespace heddle

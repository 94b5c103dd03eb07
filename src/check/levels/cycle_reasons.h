// Why the edges of a cycle are there.
#pragma once

#include <vector>

#include "check/levels/level_graph.h"
#include "check/levels/saturation.h"
#include "check/observation/engine.h"

namespace heddle {

// The cycle that saturation found; each ww and rw that was derived has the path that forces it.
// REQUIRES: !saturation.cycle().empty().
std::vector<OrderEdge> explained_cycle(const Saturation& saturation, const LevelShape& shape);

// So is a short cycle of each strong component that has one.
std::vector<std::vector<OrderEdge>> explained_cycles(const Saturation& saturation,
                                                     const LevelShape& shape);

}  // namespace heddle

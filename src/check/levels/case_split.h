// For people: where only a search shows that there is no order, the few cases of which each has a
// cycle of its own.
#pragma once

#include <vector>

#include "check/levels/level_graph.h"
#include "check/observation/engine.h"
#include "check/observation/observation.h"

namespace heddle {

// What follows from an order of some writers.
struct OrderCase {
  std::vector<OrderEdge> supposed;  // ww
  std::vector<OrderEdge> cycle;
};

// Cases that together are all orders which two writers, and then two more, may have; none where
// that takes many, or long, or where it is open whose writes were read. Meant for the few
// transactions of a counterexample: each undecided pair is tried.
std::vector<OrderCase> split_into_cases(const Observation& observation, const LevelShape& shape);

}  // namespace heddle

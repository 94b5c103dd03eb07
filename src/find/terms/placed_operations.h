// What the dependencies of a cycle join: operations of statements that run.
#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "find/terms/formula.h"

namespace heddle::find {

struct PlacedOperation {
  std::size_t instance = 0;
  std::size_t event = 0;
  OperationPart part = OperationPart::read;
  bool is_inside = false;  // Conflict::reads_inside

  friend auto operator<=>(const PlacedOperation&, const PlacedOperation&) = default;
};

// Each once, sorted.
std::vector<PlacedOperation> operations_in(const std::vector<PlacedEdge>& edges);

}  // namespace heddle::find

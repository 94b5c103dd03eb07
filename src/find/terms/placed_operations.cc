#include "find/terms/placed_operations.h"

#include <algorithm>

namespace heddle::find {

std::vector<PlacedOperation> operations_in(const std::vector<PlacedEdge>& edges) {
  std::vector<PlacedOperation> operations;
  for (const auto& [of, from, from_event, to, to_event] : edges) {
    operations.push_back({from, from_event, of->from_part(), of->begins_inside()});
    operations.push_back({to, to_event, of->to_part(), of->ends_inside()});
  }
  std::ranges::sort(operations);
  operations.erase(std::unique(operations.begin(), operations.end()), operations.end());
  return operations;
}

}  // namespace heddle::find

// The cheapest set that has something of each of some sets.
//
// Branches on the elements of the smallest set that is not hit yet and gives up where the cost is
// no better than the best known (Reiter, "A theory of diagnosis from first principles", 1987).
#pragma once

#include <cstddef>
#include <vector>

namespace heddle::find {

struct HittingSet {
  std::vector<std::size_t> elements;  // sorted
  bool is_cheapest = true;            // false: too many were tried
};

// `costs`: of each element. REQUIRES: no set is empty.
HittingSet hitting_set(const std::vector<std::vector<std::size_t>>& sets,
                       const std::vector<std::size_t>& costs);

}  // namespace heddle::find

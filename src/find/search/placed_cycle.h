// A cycle that was found, in a group of its transactions again.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "find/terms/formula.h"
#include "find/terms/group.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

// The functionality of each transaction.
std::vector<std::size_t> members_of(const FoundCycle& cycle);

// Where its transaction has an operation; none: it is not unfolded.
std::optional<std::size_t> event_of(const Group& group, const FoundNode& node);

struct PlacedCycle {
  std::vector<PlacedEdge> edges;
  std::vector<std::shared_ptr<const Conflict>> conflicts;  // of the edges
};

// Its dependencies; none: some of its statements are not unfolded. REQUIRES: the group is one of
// its members.
PlacedCycle place_cycle(const SearchInput& input, const Group& group, const FoundCycle& cycle);

}  // namespace heddle::find

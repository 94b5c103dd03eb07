// A cycle asked about with everything that its transactions read and find.
#pragma once

#include "find/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

// Whether no rows and arguments let the cycle happen when nothing that its transactions read and
// find is left open (closed_world.h). False also where nobody knows. The search does not ask so of
// each cycle: it takes ten times as long.
bool is_impossible_in_whole(const SearchInput& input, const FoundCycle& cycle);

}  // namespace heddle::find

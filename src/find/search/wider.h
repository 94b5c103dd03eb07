// Which cycles a small program is searched for beyond the usual bounds.
#pragma once

#include <vector>

#include "find/terms/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

// Lets larger cycles be asked about whose statements are not all those of a known one, or more:
// where something smaller is wrong with these already, what is longer says little, and there is a
// great deal of it. `input`: of the search that has found the known ones; it outlives what is
// returned.
Admission beyond(const SearchInput& input, const std::vector<FoundCycle>& known);

}  // namespace heddle::find

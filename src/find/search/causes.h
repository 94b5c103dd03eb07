// Cycles put together by what causes them.
#pragma once

#include <vector>

#include "heddle/find.h"

namespace heddle::find {

// An extension (FoundCycle::is_core) goes to the first core whose operations are among its own.
// Causes come with the gravest kind first, then in the order of the cycles.
std::vector<FoundCause> group_causes(std::vector<FoundCycle> cycles);

// Whether each transaction of `inner` is one of `outer` with at least its operations.
bool contains(const FoundCycle& outer, const FoundCycle& inner);

}  // namespace heddle::find

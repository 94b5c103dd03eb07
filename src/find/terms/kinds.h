// The kinds of cycles.
#pragma once

#include "heddle/find.h"

namespace heddle::find {

// docs/levels.md, "How cycles are told apart". `one_row`: all edges may be about one row.
AnomalyKind kind_of(const FoundCycle& cycle, bool one_row);

}  // namespace heddle::find

// The kinds of cycles.
#pragma once

#include <optional>

#include "heddle/find.h"

namespace heddle::find {

// docs/levels.md, "How cycles are told apart". `one_row`: all edges may be about one row.
AnomalyKind kind_of(const FoundCycle& cycle, bool one_row);

// What earlier versions called it, where that was something else: a transaction that overwrote a
// row and then read it without another one's write had lost an update, too.
std::optional<AnomalyKind> former_kind_of(const FoundCycle& cycle);

}  // namespace heddle::find

// Pairs of requests that cannot but come one after the other, whatever their statements overlap.
//
// If all that two requests do to each other is one statement of the one and one statement of the
// other, each of them atomic, then these come in some order, and the outcome is that of the two
// requests in this order: there is no second conflict that could go the other way round (Shasha and
// Snir: no cycle without two). The same holds where one of them only reads, in one statement or
// from one snapshot, what the other writes in one transaction.
//
// A request that was refused shows less than it might do otherwise; so what counts is all that
// requests of its endpoint do anywhere in the trace, of which one at least has succeeded.
#pragma once

#include <string>
#include <vector>

#include "race/pairs/pattern.h"

namespace heddle::race {

// Why the two flows have no more than one point at which they meet; empty: they have, or nobody
// knows. REQUIRES: the conflicts are all that there are, of two flows, the first of each is of
// `first`.
std::string single_point(const FlowAccesses& all, const PatternReader& deeds,
                         const std::vector<MetAccesses>& conflicts);

}  // namespace heddle::race

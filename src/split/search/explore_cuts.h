// Which cuts are worth a look.
#pragma once

#include "heddle/cut_search.h"
#include "split/search/cut_costs.h"

namespace heddle::chopping {

// As search_cuts(). All outlive the call; what `search` and `costs` have learned stands for other
// calls about the same program, too.
Result<CutSearchReport> explore_cuts(const Program& program, const CutSearchOptions& options,
                                     const Units& units, GroupCauseSearch& search, CutCosts& costs);

}  // namespace heddle::chopping

// Which cuts are worth a look.
#pragma once

#include "heddle/cut_search.h"
#include "split/search/cut_costs.h"

namespace heddle::chopping {

// As search_cuts(). All outlive the call; what `search` and `costs` have learned stands for other
// calls about the same program, too.
Result<CutSearchReport> explore_cuts(const Program& program, const CutSearchOptions& options,
                                     const Units& units, GroupCauseSearch& search, CutCosts& costs);

// Which services have a level of their own, by the names of the cut.
void add_levels(const ServiceLevels& levels, const Partition& partition, ScoredCut& scored);

// What the search has to say: its bounds, and which of them was hit.
void finish_report(const CutSearchOptions& options, const GroupCauseSearch& search,
                   CutSearchReport& report);

}  // namespace heddle::chopping

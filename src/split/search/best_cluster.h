// The cut whose tables hang together best, of clusters of tables.
#pragma once

#include "heddle/cut_search.h"
#include "split/search/cut_costs.h"

namespace heddle::chopping {

// As search_cuts() by CutMeasure::silhouette. All outlive the call.
Result<CutSearchReport> find_best_cluster(const Program& program, const CutSearchOptions& options,
                                          const Units& units, GroupCauseSearch& search,
                                          CutCosts& costs);

}  // namespace heddle::chopping

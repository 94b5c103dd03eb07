// What each cause of a cut needs: which guarantee across services would remove it.
#pragma once

#include "heddle/split.h"

namespace heddle::chopping {

// Fills in SplitCause::needs of the cores. `options`: with which the chopped program was searched.
// Errors: as find_anomalies().
Result<void> find_needs(const FindOptions& options, SplitReport& report);

}  // namespace heddle::chopping

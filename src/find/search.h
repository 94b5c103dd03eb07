// find_anomalies() for those who know more of cycles than it does.
#pragma once

#include <functional>
#include <vector>

#include "find/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

// Lets what smaller sets of functionalities have decide what larger ones are asked about.
struct Selection {
  // All cycles of the sets of one size, before any larger set is searched.
  std::function<void(const std::vector<FoundCycle>&)> found;
  // Which cycles of larger sets are asked about.
  Admission admits;
};

// As find_anomalies(), with the fast engine.
Result<FindReport> find_selected(const Program& program, const FindOptions& options,
                                 const Selection& selection);

}  // namespace heddle::find

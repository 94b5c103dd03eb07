// What a run breaks, asked without judging it: that costs two runs in place of one for each serial
// order and more, and most runs break nothing that others have not broken.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/find.h"
#include "heddle/scenario.h"

namespace heddle::find {

// The invariants that the scenario's only permutation breaks, and its sessions one after the other
// do not: whatever judging the run says that it breaks is among them. None: it does not run to its
// end, and only judging it can tell.
std::optional<std::vector<std::string>> broken_in(const Scenario& scenario,
                                                  const ExecuteOptions& options);

}  // namespace heddle::find

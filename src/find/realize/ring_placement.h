// Where the transactions of a run execute on two servers that replicate each other
// (docs/stores.md, "Two MariaDB servers"): each stays at one of them, and what it sees of the
// other has been delivered there in the order in which it was committed.
#pragma once

#include <optional>
#include <vector>

#include "find/realize/placement.h"
#include "find/realize/realize.h"

namespace heddle::find {

// None: such servers do not show each statement just what the run says.
std::optional<Placement> place_on_ring(const std::vector<RunStep>& steps,
                                       const std::vector<PlacedTransaction>& transactions);

}  // namespace heddle::find

// The slow, obvious oracle: tries every serial order. For small histories only.
#pragma once

#include "heddle/dependency.h"

namespace heddle {

// Whether some serial order of the committed units (sessions keep the order of their transactions)
// reads what the history read and leaves the history's version order. A predicate reads the same
// when no version between the one it saw and the one in force matches differently.
// REQUIRES: at most 8 units; no illegal reads. Time is factorial.
bool has_serial_order(const History& history, Unit unit);

}  // namespace heddle

// Which scenarios touch what all databases of a server share, so that two of them at once, or two
// runs of one at once, would disturb each other.
#pragma once

#include "heddle/scenario.h"

namespace heddle {

// Roles, prepared transactions, server settings, statistics, locks of all databases, and safe
// snapshots (which wait for serializable transactions of any database). Judged by words of the
// text: a false yes only costs time.
bool touches_cluster_state(const Scenario& scenario);

}  // namespace heddle

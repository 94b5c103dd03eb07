// Lets the services of a system connect to their stores again, with requests that are not judged.
#pragma once

#include "heddle/result.h"
#include "race/replay/replay_ground.h"
#include "race/replay/store_clones.h"
#include "race/requests/replayed_request.h"

namespace heddle {

// Sends requests of the plan, such as change nothing where there are any, until each store of which
// connections were ended is used again without trouble, as often in a row as there were
// connections. They do leave rows where they are no GETs. Errors: environment, where that does not
// come about.
Result<void> reconnect(ReplayGround& ground, const PairPlan& plan, const ReplayBindings& bindings,
                       const EndedConnections& ended);

}  // namespace heddle

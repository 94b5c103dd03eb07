// Who waits for whom among the sessions of a run.
#pragma once

#include <vector>

#include "heddle/id.h"
#include "heddle/scenario.h"
#include "store/store.h"

namespace heddle {

// Whether the session waits for itself, through others: a deadlock. `states` and `backends`: of
// each session.
bool waits_for_itself(SessionId session, const std::vector<WaitState>& states,
                      const std::vector<int>& backends);

// Whether some of them wait for each other in a circle that their store knows, and so ends: one
// without a lock that a session holds on another connection than it waits on.
bool closes_circle_in_store(const std::vector<WaitState>& states, const std::vector<int>& backends);

}  // namespace heddle

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

}  // namespace heddle

// What all replays of a trace share.
#pragma once

#include "heddle/trace.h"
#include "race/outcome/verdict.h"
#include "race/replay/replayed_system.h"
#include "race/replay/store_states.h"
#include "race/requests/dependencies.h"

namespace heddle {

struct ReplayGround {
  const Trace& trace;
  const RequestDependencies& dependencies;
  JudgeSettings judging;
  ReplayedSystem& system;
  StoreStates& states;
};

// Starts the system again, and looks at its stores anew. Errors: environment; interrupted.
Result<void> restart_system(ReplayGround& ground);

}  // namespace heddle

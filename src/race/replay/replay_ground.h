// What all replays of a trace share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/result.h"
#include "heddle/trace.h"
#include "race/outcome/verdict.h"
#include "race/replay/replayed_system.h"
#include "race/replay/restore_plan.h"
#include "race/replay/store_states.h"
#include "race/requests/dependencies.h"

namespace heddle {

struct ReplayGround {
  const Trace& trace;
  const RequestDependencies& dependencies;
  JudgeSettings judging;
  ReplayedSystem& system;
  StoreStates& states;
  std::vector<RestorePlan> plans;  // ways back, in the order in which they are tried
  std::uint64_t last_names = 0;    // the number of the run that had new names last
  bool is_connected = false;       // services are known to reach their stores
  std::size_t vain_restarts = 0;   // that did not help to reach a state

  std::uint64_t next_names() { return ++last_names; }
};

struct StartedReplay {
  std::unique_ptr<ReplayedSystem> system;
  StoreStates states;
  std::vector<RestorePlan> plans;
  JudgeSettings judging;
};

// REQUIRES: the config outlives what is started. Errors: bad_input where the file asks for what is
// not possible, or the system is not on this machine; environment where it does not come up;
// interrupted.
Result<StartedReplay> start_replay(const Config& config, const ReplayBounds& bounds,
                                   const std::vector<std::string>& environment);

// REQUIRES: all of it outlives the ground.
ReplayGround ground_of(StartedReplay& started, const Trace& trace,
                       const RequestDependencies& dependencies);

// Another number than those of earlier replays, after which nothing may have gone back.
std::uint64_t first_names();

// Starts the system again, or these services of it, and looks at its stores anew where they were
// away. Errors: environment; interrupted.
Result<void> restart_system(ReplayGround& ground, const std::vector<std::string>& services = {});

}  // namespace heddle

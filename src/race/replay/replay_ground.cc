#include "race/replay/replay_ground.h"

#include <utility>

namespace heddle {

Result<void> restart_system(ReplayGround& ground) {
  if (auto restarted = ground.system.restart(); !restarted) return restarted;
  auto states = StoreStates::open(ground.system.config());
  if (!states) return states.error();
  ground.states = std::move(*states);
  return {};
}

}  // namespace heddle

#include "race/replay/replay_ground.h"

#include <chrono>

namespace heddle {
namespace {

// Tenths of a second of about 11 days: a run takes longer than one.
constexpr std::uint64_t kMostNames = 10'000'000;
constexpr std::uint64_t kPartsOfSecond = 10;

}  // namespace

std::uint64_t first_names() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto tenths =
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count() * kPartsOfSecond / 1000;
  return static_cast<std::uint64_t>(tenths) % kMostNames;
}

Result<void> restart_system(ReplayGround& ground, const std::vector<std::string>& services) {
  if (auto restarted = ground.system.restart(services); !restarted) return restarted;
  return ground.states.look_again();
}

}  // namespace heddle

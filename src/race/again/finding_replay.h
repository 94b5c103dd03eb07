// Runs findings of races again, one after the other, on one running system.
//
//   auto replayer = FindingReplayer::start(config, options);
//   auto report = (*replayer)->replay(finding);
//
// The trace is not needed: a finding holds its requests. What the system is now tells heddle.yaml.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/race_finding.h"
#include "heddle/result.h"
#include "race/replay/replay_ground.h"
#include "race/replay/replayed_system.h"

namespace heddle {

struct FindingReplayOptions {
  ReplayBounds bounds = {};
  std::uint32_t runs = 10;
  std::vector<std::string> environment = {};  // of what is started
};

class FindingReplayer {
 public:
  // Starts the system. REQUIRES: the config outlives it. Errors: bad_input, environment where it
  // does not come up; interrupted.
  static Result<std::unique_ptr<FindingReplayer>> start(const Config& config,
                                                        const FindingReplayOptions& options);

  // Errors: bad_input where the finding does not fit the system that the file describes, or shows
  // nothing; environment where the system has ended; interrupted before the first run was done.
  Result<RaceReplayReport> replay(const RaceFinding& finding);

 private:
  FindingReplayer(const Config& config, std::uint32_t runs, StartedReplay started)
      : config_(config), runs_(runs), started_(std::move(started)) {}

  const Config& config_;
  std::uint32_t runs_;
  StartedReplay started_;
  std::optional<Diagnostic> down_;  // why the system could not be started again
};

}  // namespace heddle

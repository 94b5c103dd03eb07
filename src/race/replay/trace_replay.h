// Replays all candidates of a trace, one after the other, on one running system.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontend/config/config.h"
#include "heddle/race.h"
#include "heddle/result.h"
#include "race/replay/pair_replay.h"

namespace heddle {

struct TraceReplayOptions {
  ReplayBounds bounds = {};
  std::size_t runs = 20;  // overlaps for one candidate
  std::chrono::milliseconds time = std::chrono::hours(24);
  std::vector<std::string> environment = {};  // of what is started
  // Called before each candidate: how many are done.
  std::function<void(std::size_t done)> progress = {};
};

struct TraceReplay {
  std::vector<RaceReplay> replays = {};  // in the order of the candidates
  std::vector<std::string> unseen = {};  // stores of which heddle has no address of its own
  std::vector<std::string> remarks = {};
};

// REQUIRES: `candidates` are those of the trace. Errors: bad_input where the trace is not one of
// the system that the file describes, or that is not here; environment where the system does not
// come up; interrupted before the first candidate was done.
Result<TraceReplay> replay_trace(const Config& config, const Trace& trace,
                                 const RaceCandidates& candidates,
                                 const TraceReplayOptions& options);

}  // namespace heddle

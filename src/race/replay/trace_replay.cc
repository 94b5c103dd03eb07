#include "race/replay/trace_replay.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "frontend/config/race_settings.h"
#include "race/replay/replay_ground.h"
#include "race/requests/request_recording.h"
#include "record/system_edges.h"

namespace heddle {
namespace {

using ReplayClock = std::chrono::steady_clock;

// The trace names its edges by their places, which have to be those of the file.
Result<void> check_edges(const Config& config, const Trace& trace) {
  if (trace_edges(config.system) == trace.head.edges) return {};
  return Diagnostic{.what = "the trace has other edges than the system that is described here",
                    .what_to_do = "record the system again",
                    .file = config.file,
                    .position = config.system.position};
}

RaceReplay left_out(const RaceCandidate& candidate, RaceResult result, std::string why) {
  RaceReplay replay;
  replay.id = candidate.id;
  replay.result = result;
  replay.why = std::move(why);
  return replay;
}

}  // namespace

Result<TraceReplay> replay_trace(const Config& config, const Trace& trace,
                                 const RaceCandidates& candidates,
                                 const TraceReplayOptions& options) {
  if (auto checked = check_edges(config, trace); !checked) return checked.error();
  const auto end = ReplayClock::now() + options.time;
  auto started = start_replay(config, options.bounds, options.environment);
  if (!started) return started.error();
  const RequestDependencies dependencies = find_dependencies(trace, race_settings(config));
  ReplayGround ground = ground_of(*started, trace, dependencies);
  TraceReplay replay{.unseen = started->states.unseen()};
  std::string stopped;  // why the rest is not reached
  for (const RaceCandidate& candidate : candidates.candidates) {
    if (options.progress) options.progress(replay.replays.size());
    if (interrupted()) stopped = "it was interrupted before";
    if (stopped.empty() && ReplayClock::now() >= end) stopped = "the time was over before";
    if (!stopped.empty()) {
      replay.replays.push_back(left_out(candidate, RaceResult::not_reached, stopped));
      continue;
    }
    auto one = replay_candidate(ground, candidate, {.runs = options.runs, .end = end});
    if (one) {
      replay.replays.push_back(std::move(*one));
      RaceReplay& done = replay.replays.back();
      if (done.plan.obstacle.empty()) {
        done.recording = record_requests(trace, dependencies, done.plan);
      }
      continue;
    }
    const bool is_interrupt = one.error().trouble == Trouble::interrupted;
    replay.replays.push_back(
        left_out(candidate, is_interrupt ? RaceResult::not_reached : RaceResult::inconclusive,
                 is_interrupt ? "it was interrupted" : one.error().what));
    if (is_interrupt) continue;
    // What was found until then is told all the same.
    const auto restarted = restart_system(ground);
    if (!restarted) stopped = "the system did not come up again: " + restarted.error().what;
  }
  return replay;
}

}  // namespace heddle

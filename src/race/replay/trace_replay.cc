#include "race/replay/trace_replay.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "frontend/config/race_settings.h"
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

bool is_loopback(const std::string& address) {
  const std::string host = server_part(address);
  return host.starts_with("127.") || host.starts_with("localhost:") || host.starts_with("[::1]") ||
         host.starts_with('/');
}

}  // namespace

Result<void> check_targets(const Config& config) {
  if (config.race.is_replay_allowed) return {};
  const auto check = [&](const std::vector<Setting>& addresses) -> Result<void> {
    for (const Setting& each : addresses) {
      if (is_loopback(each.text)) continue;
      return Diagnostic{
          .what = fmt::format("{} is not on this machine, and a replay really changes its data",
                              each.text),
          .what_to_do = "say \"replay: allowed\" in the section \"race\" if that is wanted",
          .file = config.file,
          .position = each.position};
    }
    return {};
  };
  for (const ServiceSettings& each : config.system.services) {
    if (auto checked = check(each.address); !checked) return checked;
  }
  for (const StoreSettings& each : config.system.stores) {
    if (auto checked = check(each.address); !checked) return checked;
  }
  return {};
}

namespace {

RaceReplay left_out(const RaceCandidate& candidate, RaceResult result, std::string why) {
  RaceReplay replay;
  replay.id = candidate.id;
  replay.result = result;
  replay.why = std::move(why);
  return replay;
}

}  // namespace

JudgeSettings judge_settings(const Config& config, const RaceSettings& settings) {
  JudgeSettings judging{.benign = settings.benign, .expected = {}, .masked = {}};
  for (const Setting& each : config.record.mask) judging.masked.push_back(each.text);
  return judging;
}

namespace {

// Keys of the file that a replay does not obey.
std::vector<std::string> unused_settings(const Config& config) {
  std::vector<std::string> remarks;
  const auto add = [&](bool is_there, std::string_view key) {
    if (is_there)
      remarks.push_back(fmt::format("\"{}\" of {} is not obeyed yet", key, config.file));
  };
  add(!config.race.restore.empty(), "restore");
  add(!config.race.expect.empty(), "expect");
  return remarks;
}

}  // namespace

Result<TraceReplay> replay_trace(const Config& config, const Trace& trace,
                                 const RaceCandidates& candidates,
                                 const TraceReplayOptions& options) {
  if (auto checked = check_edges(config, trace); !checked) return checked.error();
  if (auto checked = check_targets(config); !checked) return checked.error();
  const auto end = ReplayClock::now() + options.time;
  auto system = ReplayedSystem::start(config, options.bounds, options.environment);
  if (!system) return system.error();
  auto states = StoreStates::open(config);
  if (!states) return states.error();
  const RaceSettings settings = race_settings(config);
  const RequestDependencies dependencies = find_dependencies(trace, settings);
  ReplayGround ground{.trace = trace,
                      .dependencies = dependencies,
                      .judging = judge_settings(config, settings),
                      .system = **system,
                      .states = *states};
  TraceReplay replay{.unseen = states->unseen(), .remarks = unused_settings(config)};
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

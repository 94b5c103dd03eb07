#include "race/again/finding_replay.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "race/replay/pair_replay.h"
#include "race/requests/request_recording.h"
#include "record/system_edges.h"

namespace heddle {
namespace {

Diagnostic unfit(std::string what, std::string what_to_do) {
  return {.what = std::move(what), .what_to_do = std::move(what_to_do)};
}

// Who makes requests from outside has any name.
bool is_same_edge(const TraceEdge& a, const TraceEdge& b) {
  if (a.is_outer != b.is_outer || a.is_store != b.is_store || a.callee != b.callee) return false;
  return a.is_outer || a.caller == b.caller;
}

// The edges of the file, and the units of the recording at these. Edges that no unit uses may have
// gone.
Result<void> fit_edges(Trace& trace, const Config& config) {
  const std::vector<TraceEdge> edges = trace_edges(config.system);
  const auto place_now = [&](std::size_t edge) {
    const TraceEdge& recorded = trace.head.edges[edge];
    const auto found = std::ranges::find_if(
        edges, [&](const TraceEdge& each) { return is_same_edge(each, recorded); });
    return static_cast<std::size_t>(found - edges.begin());
  };
  const auto fit = [&](std::size_t& edge) -> Result<void> {
    const std::size_t now = place_now(edge);
    if (now == edges.size()) {
      const TraceEdge& recorded = trace.head.edges[edge];
      return unfit(fmt::format("the finding needs the edge {} -> {}, which {} does not have",
                               recorded.caller, recorded.callee, config.file),
                   "record the system again");
    }
    edge = now;
    return {};
  };
  for (TraceRequest& each : trace.requests) {
    if (auto fitted = fit(each.edge); !fitted) return fitted;
  }
  for (TraceStatement& each : trace.statements) {
    if (auto fitted = fit(each.edge); !fitted) return fitted;
  }
  trace.head.edges = edges;
  return {};
}

// The turns with the edges of the file.
Result<Turns> read_turns(const RaceFinding& finding, const std::vector<TraceEdge>& edges) {
  Turns turns;
  for (const RaceTurn& told : finding.turns) {
    Turn turn{.party = kParties.at(told.party)};
    if (!told.shape.empty()) {
      const auto edge = std::ranges::find_if(edges, [&](const TraceEdge& each) {
        return each.caller == told.caller && each.callee == told.callee;
      });
      if (edge == edges.end()) {
        return unfit(fmt::format("the schedule waits at {} -> {}, where nothing passes",
                                 told.caller, told.callee),
                     "record the system again");
      }
      turn.until = SwitchPoint{
          .shape = {.edge = static_cast<std::size_t>(edge - edges.begin()), .text = told.shape},
          .occurrence = told.occurrence};
    }
    turns.push_back(std::move(turn));
  }
  return turns;
}

// Whether a run shows what the finding says. Of what nobody could decide it has to show a race.
bool shows(RaceResult run, RaceResult finding) {
  if (finding != RaceResult::inconclusive) return run == finding;
  return run == RaceResult::confirmed || run == RaceResult::error_under_overlap;
}

Result<void> check_finding(const RaceFinding& finding) {
  static constexpr std::array kShown = {RaceResult::confirmed,           RaceResult::stale_read,
                                        RaceResult::error_under_overlap, RaceResult::refused,
                                        RaceResult::order_dependent,     RaceResult::inconclusive};
  if (std::ranges::find(kShown, finding.result) == kShown.end()) {
    return unfit(fmt::format("the finding shows no race that could happen again: its result is "
                             "\"{}\"",
                             to_string(finding.result)),
                 "name one that was confirmed");
  }
  if (!finding.recording) {
    return unfit("the finding does not hold the requests that are to be sent again",
                 "let heddle race --replay --save write it again");
  }
  const RaceRecording& recording = *finding.recording;
  const bool has_schedule = !finding.turns.empty() || finding.result == RaceResult::stale_read ||
                            finding.result == RaceResult::order_dependent;
  const bool is_of_one = recording.first == recording.second;
  if (!has_schedule || is_of_one != finding.is_between_branches) {
    return unfit("the finding does not say in which order its requests went on",
                 "let heddle race --replay --save write it again");
  }
  return {};
}

// Turns that wait for nothing are those of requests that are sent one right behind the other's
// answer.
RepeatedSchedule schedule_of(const RaceFinding& finding, const Turns& turns, std::size_t runs) {
  RepeatedSchedule schedule{.result = finding.result, .turns = turns, .runs = runs};
  if (finding.is_between_branches) return schedule;
  if (turns.empty()) schedule.turns = {{.party = Party::first}, {.party = Party::second}};
  const bool waits =
      std::ranges::any_of(schedule.turns, [](const Turn& turn) { return turn.until.has_value(); });
  if (!waits) schedule.order = RaceOrder::after_answer;
  return schedule;
}

RaceReplayReport report_of(const RaceReplay& replay, const RaceFinding& finding,
                           std::uint32_t runs) {
  RaceReplayReport report;
  report.runs = static_cast<std::uint32_t>(replay.repeated.size());
  report.restored = replay.restored;
  bool is_open = report.runs < runs;
  for (const RepeatedRun& run : replay.repeated) {
    if (shows(run.result, finding.result)) {
      ++report.confirmed;
      continue;
    }
    is_open = is_open || run.result == RaceResult::inconclusive;
    report.differences.push_back(fmt::format("{}: {}", to_string(run.result), run.why));
  }
  if (replay.repeated.empty()) report.obstacle = replay.why;
  settle(report, !is_open);
  return report;
}

}  // namespace

Result<std::unique_ptr<FindingReplayer>> FindingReplayer::start(
    const Config& config, const FindingReplayOptions& options) {
  auto started = start_replay(config, options.bounds, options.environment);
  if (!started) return started.error();
  return std::unique_ptr<FindingReplayer>(
      new FindingReplayer(config, options.runs, std::move(*started)));
}

Result<RaceReplayReport> FindingReplayer::replay(const RaceFinding& finding) {
  if (auto checked = check_finding(finding); !checked) return checked.error();
  if (down_) return *down_;
  RaceRecording recording = *finding.recording;
  if (auto fitted = fit_edges(recording.trace, config_); !fitted) return fitted.error();
  const auto turns = read_turns(finding, recording.trace.head.edges);
  if (!turns) return turns.error();
  const auto dependencies = recorded_dependencies(recording);
  if (!dependencies) return dependencies.error();
  const RaceCandidate candidate{
      .id = finding.id,
      .pattern = finding.pattern,
      .first_endpoint = finding.first_endpoint,
      .second_endpoint = finding.second_endpoint,
      .is_between_branches = finding.is_between_branches,
      .pairs = {
          {.first = recording.first, .second = recording.second, .conflicts = finding.conflicts}}};
  ReplayGround ground = ground_of(started_, recording.trace, *dependencies);
  ReplayLimits limits;
  limits.again = schedule_of(finding, *turns, runs_);
  auto replay = replay_candidate(ground, candidate, limits);
  if (!replay) {
    // The findings behind it have a system of their own.
    if (replay.error().trouble == Trouble::interrupted) return replay.error();
    if (auto restarted = restart_system(ground); !restarted) down_ = restarted.error();
    return replay.error();
  }
  RaceReplayReport report = report_of(*replay, finding, runs_);
  report.system = config_.file;
  return report;
}

}  // namespace heddle

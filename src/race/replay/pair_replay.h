// Makes the two requests of a candidate overlap on the running system, and says what came of it.
//
// First the state is reached in which the two were recorded, and both go one after the other: that
// has to give what was recorded (the control run). Then the state is put back, and the control run
// is repeated: the way to put it back has to be one. Then come both serial orders, each twice, and
// then overlaps until one is confirmed or all were tried.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/race.h"
#include "heddle/race_finding.h"
#include "race/replay/pair_state.h"
#include "race/replay/repeated_schedule.h"
#include "race/replay/replay_ground.h"
#include "race/replay/run_tally.h"
#include "race/requests/pair_plan.h"

namespace heddle {

struct RaceReplay {
  std::string id;
  RacePair pair = {};  // that was replayed, of the candidate's
  PairPlan plan = {};  // by which its state was reached
  RaceResult result = RaceResult::not_reached;
  std::string why = {};
  std::string what_helps = {};
  std::string restored = {};             // the way back that was found
  std::optional<JudgedRun> shown = {};   // the run that shows the result, where there is one
  std::optional<RunRecord> serial = {};  // the control run
  PerParty<std::vector<RunRecord>> orders = {};  // runs of each serial order, by who begins
  std::size_t runs = 0;                          // overlaps that were tried
  std::size_t left = 0;                          // that were not
  std::vector<std::string> masked = {};
  std::optional<RaceRecording> recording = {};  // what running it again needs
  std::vector<RepeatedRun> repeated = {};       // where one schedule was run again and again
};

struct ReplayLimits {
  std::size_t runs = 20;  // overlaps for one candidate
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
  // Where it is there, this is run, and no other overlap is looked for.
  std::optional<RepeatedSchedule> again = {};
};

// Errors: the system has ended, or cannot be asked any more; interrupted.
Result<RaceReplay> replay_candidate(ReplayGround& ground, const RaceCandidate& candidate,
                                    const ReplayLimits& limits);

}  // namespace heddle

// The state in which the two requests of a pair were recorded, and the ways back to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "race/replay/pair_runs.h"
#include "race/replay/replay_ground.h"
#include "race/replay/run_tally.h"
#include "race/requests/pair_plan.h"

namespace heddle {

// How the state before a pair is brought about again.
enum class RestoreWay : std::uint8_t {
  rows,     // changed rows and sequences are put back
  again,    // the system is reset, and the preceding requests are sent again
  restart,  // the system is started again, and the preceding requests are sent again
};

// "rows", "again", "restart".
std::string_view to_string(RestoreWay way);

class PairState {
 public:
  // Why it cannot be reached; none: it was.
  using Obstacle = std::optional<RaceSettlement>;

  // REQUIRES: ground and plan outlive it.
  PairState(ReplayGround& ground, const PairPlan& plan) : ground_(ground), plan_(plan) {}

  // Reaches the state. Errors: the system cannot be reset; interrupted.
  Result<Obstacle> reach();
  // What put_back(rows) goes back to, and its rows.
  Result<std::vector<ObservedStore>> remember();
  // Errors: environment, where this is no way back; interrupted.
  Result<void> put_back(RestoreWay way);
  // The ways that there are here, the quickest first.
  std::vector<RestoreWay> ways() const;
  // REQUIRES: it was reached.
  const RunStart& start() const { return *start_; }

 private:
  Result<Obstacle> reach_at_pace(bool with_rests);
  Result<Obstacle> send_preceding(ReplayBindings& bindings, bool with_rests);
  Result<void> reach_again();

  ReplayGround& ground_;
  const PairPlan& plan_;
  bool needs_rest_ = false;
  std::optional<RunStart> start_;
};

}  // namespace heddle

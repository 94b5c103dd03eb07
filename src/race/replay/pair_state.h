// The state in which the two requests of a pair were recorded, and the ways back to it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "race/replay/pair_runs.h"
#include "race/replay/replay_ground.h"
#include "race/replay/restore_plan.h"
#include "race/replay/run_tally.h"
#include "race/replay/store_clones.h"
#include "race/requests/pair_plan.h"

namespace heddle {

// How the state is reached for the first time.
struct Preparation {
  bool resets = false;
  bool restarts = false;                   // behind the reset
  std::vector<std::string> services = {};  // that are started again; none: the whole system
  bool resets_last = false;                // behind the restart
  bool with_rests = false;                 // the system is at rest before each request
  bool sends_everything = false;  // all requests that came before, not only those that are needed
  bool renames = false;           // what requests create has new names
};

class PairState {
 public:
  // Why it cannot be reached; none: it was.
  using Obstacle = std::optional<RaceSettlement>;

  // REQUIRES: ground outlives it.
  PairState(ReplayGround& ground, const RacePair& pair);

  const PairPlan& plan() const { return plan_; }
  // By which the state was reached, or by which that was tried last.
  const PairPlan& sent() const { return *sent_; }
  // Those that may bring it about, the quickest first.
  std::vector<Preparation> preparations() const;
  // Reaches the state. Errors: the system cannot be reset; interrupted.
  Result<Obstacle> reach(const Preparation& preparation);
  // What put_back() goes back to, and its rows. Where the file wants clones they are made here.
  Result<std::vector<ObservedStore>> remember();
  // Errors: environment, where this is no way back; interrupted.
  Result<void> put_back(const RestorePlan& way);
  // Clients get the stores' own databases again.
  Result<void> give_back();
  // Lets a system that was there before heddle, whose connections may have ended with an earlier
  // one, connect to its stores; rows stay what they are. Errors: environment; interrupted.
  Result<void> connect();
  // REQUIRES: it was reached.
  const RunStart& start() const { return *start_; }
  // The rows at which the requests before the pair began when it was reached last: whoever sends
  // these again each time compares what they leave, too, since ids among it are others each time.
  const std::vector<ObservedStore>& beginning() const { return beginning_; }

 private:
  Result<void> bring_back_system(const Preparation& preparation);
  Result<Obstacle> send_preceding(const std::vector<std::uint64_t>& units, bool with_rests,
                                  ReplayBindings& bindings);
  Result<void> reach_again(const RestorePlan& way);
  Result<void> put_rows_back(const RestorePlan& way);
  Result<void> renew_clones(const RestorePlan& way);
  Result<void> take_clones(const RestorePlan& way);
  Result<void> renew_tokens(bool is_due);
  Result<void> reconnect_and_put_back(const ReplayBindings& bindings,
                                      const EndedConnections& ended);
  bool has_clones(const RestorePlan& way) const;

  ReplayGround& ground_;
  PairPlan plan_;
  PairPlan everything_;
  Preparation preparation_;
  const PairPlan* sent_ = &plan_;
  std::optional<RunStart> start_;
  std::vector<ObservedStore> beginning_;
  std::unique_ptr<StoreClones> clones_;
  std::chrono::steady_clock::time_point tokens_at_ = {};
};

}  // namespace heddle

// Runs of the two requests of a pair on the running system, each from the state before it: one
// after the other, overlapping, or one alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heddle/race.h"
#include "heddle/result.h"
#include "race/outcome/observed_run.h"
#include "race/replay/replay_ground.h"
#include "race/requests/replayed_request.h"
#include "race/turns/turn.h"
#include "race/turns/turn_controller.h"

namespace heddle {

struct PerformedRun {
  RacedRun observed = {};
  RunRecord record = {};
  std::string drift = {};  // why it was not the order that was wanted; empty: it was
  bool is_cut = false;     // a connection had ended, as it does where a state is brought back
};

// From what a run begins.
struct RunStart {
  ReplayBindings bindings;  // behind the preceding requests
  // The rows of this run, where nothing was put back.
  std::optional<std::vector<ObservedStore>> before = {};
  // New names, and the recorded ones for which they stand.
  std::vector<std::pair<std::string, std::string>> renamed = {};
};

// Waits until clocks that tell seconds tell another one than they did in that run: what is made of
// them, such as the end of a cookie or a signed token, then differs between equal runs, and is
// known.
void await_another_second(const RacedRun& run);

class PairRunner {
 public:
  // REQUIRES: ground and pair outlive it.
  PairRunner(ReplayGround& ground, const RacePair& pair, bool is_between_branches);

  // Errors of all: the system has ended, or cannot be asked any more; a request cannot be made;
  // interrupted.

  // As the recording has it: A, rest, B; or the request of which two branches race, on its own.
  Result<PerformedRun> recorded_run(const RunStart& start);
  // One request after the other was followed to its end; one alone is an order, too.
  Result<PerformedRun> serial_run(const RunStart& start, const std::vector<Party>& order);
  // The other is sent as soon as the one that begins is answered. What services do on their own is
  // held meanwhile, since what they would have followed by then is a matter of luck.
  Result<PerformedRun> after_answer_run(const RunStart& start, Party begins);
  Result<PerformedRun> overlapped_run(const RunStart& start, const Turns& turns);

  // What the parties sent in that run they may send again.
  void learn_shapes(const RunRecord& record);

 private:
  // Sends what the run is about and takes the answers.
  using Sending = std::function<Result<void>(PerformedRun& performed)>;

  std::uint64_t unit_of(Party party) const {
    return party == Party::first ? pair_.first : pair_.second;
  }
  Result<PerformedRun> run(const RunStart& start, const std::vector<Party>& parties,
                           const Sending& sending);
  void begin(const RunStart& start, const std::vector<Party>& parties);
  Result<void> look(PerformedRun& performed);
  Result<std::unique_ptr<SentRequest>> send(Party party);
  Result<void> send_and_take(Party party, PerformedRun& performed);
  void take(Party party, const Result<HttpAnswer>& answer, PerformedRun& performed);
  Result<void> follow(const Turns& turns, PerformedRun& performed);
  bool take_turn(const Turn& turn, PerformedRun& performed);

  ReplayGround& ground_;
  const RacePair& pair_;
  bool is_between_branches_;
  PerParty<std::vector<UnitShape>> branches_;  // where two of one request race
  PerParty<KnownUnits> known_;
  std::optional<ReplayBindings> bindings_;  // of this run
  PerParty<std::string> traces_;
};

}  // namespace heddle

#include "race/replay/pair_runs.h"

#include <algorithm>
#include <chrono>
#include <poll.h>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "race/replay/control_run.h"
#include "race/turns/turn_plans.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;
using PairClock = std::chrono::steady_clock;

std::uint64_t now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

constexpr std::uint64_t kSecondUs = 1'000'000;

// The code of an error that comes of connections that were ended: a prepared statement that the new
// one does not know (26000), the end itself (57P01), and all of class 08. Empty: there is none.
std::string connection_trouble(const RunRecord& record) {
  for (const RunUnit& unit : record.units) {
    if (!unit.statement || !unit.statement->error) continue;
    const std::string& code = unit.statement->error->code;
    if (code == "26000" || code == "57P01" || code.starts_with("08")) return code;
  }
  return "";
}

}  // namespace

PairRunner::PairRunner(ReplayGround& ground, const RacePair& pair, bool is_between_branches)
    : ground_(ground), pair_(pair), is_between_branches_(is_between_branches) {
  if (!is_between_branches) return;
  for (const Party party : kParties) {
    for (const SwitchPoint& point : conflict_points(ground.trace, pair, party)) {
      branches_[party].push_back(point.shape);
    }
  }
}

void PairRunner::learn_shapes(const RunRecord& record) {
  for (const RunUnit& unit : record.units) {
    if (unit.party) known_[*unit.party].add(unit.shape, unit.values);
  }
}

void await_another_second(const RacedRun& run) {
  const std::uint64_t next_us = (run.ended_us / kSecondUs + 1) * kSecondUs;
  for (std::uint64_t now = now_us(); now < next_us && !interrupted(); now = now_us()) {
    pollfd interrupt{interrupt_fd(), POLLIN, 0};
    ::poll(&interrupt, 1, static_cast<int>((next_us - now) / 1000 + 1));
  }
}

// The frame of each run. What was sent comes to its end also where something could not be sent.
Result<PerformedRun> PairRunner::run(const RunStart& start, const std::vector<Party>& parties,
                                     const Sending& sending) {
  PerformedRun performed;
  performed.observed.begun_us = now_us();
  performed.observed.before = start.before;
  performed.observed.renamed = start.renamed;
  const auto places = ground_.system.log_places();
  begin(start, parties);
  const auto sent = sending(performed);
  if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
  ground_.system.with_controller([](TurnController& controller) { controller.release(); });
  if (!ground_.system.wait_for_rest() && performed.observed.trouble.empty()) {
    performed.observed.trouble =
        "the system did not come to rest: " + ground_.system.restless_part();
  }
  ground_.system.with_controller(
      [&](TurnController& controller) { performed.record = controller.end_run(); });
  if (auto looked = look(performed); !looked) return looked.error();
  if (!sent) return sent.error();
  performed.observed.logs = ground_.system.logs_since(places);
  performed.observed.ended_us = now_us();
  if (const std::string code = connection_trouble(performed.record); !code.empty()) {
    performed.is_cut = true;
    performed.observed.trouble = fmt::format("a statement failed with {}: {}", code,
                                             "its connection had ended, or was a new one");
  }
  if (!performed.record.doubts.empty() && performed.observed.trouble.empty()) {
    performed.observed.trouble =
        "it is not known which of the two sent " + performed.record.doubts.front();
  }
  return performed;
}

void PairRunner::begin(const RunStart& start, const std::vector<Party>& parties) {
  bindings_.emplace(start.bindings);
  for (const Party party : kParties) traces_[party] = ground_.system.new_trace();
  ground_.system.with_controller([&](TurnController& controller) {
    if (is_between_branches_) {
      controller.begin_branches(traces_[Party::first], branches_);
      return;
    }
    controller.begin_run(traces_, known_);
    if (parties.size() == 1) controller.run_alone(parties.front());
  });
}

// At what is left of the run in the stores.
Result<void> PairRunner::look(PerformedRun& performed) {
  if (const std::string ended = ground_.system.ended_part(); !ended.empty()) {
    return Diagnostic{.what = ended, .trouble = Trouble::environment};
  }
  std::ranges::sort(performed.observed.responses, {}, &ObservedResponse::request);
  auto stores = ground_.states.read();
  if (!stores) return stores.error();
  performed.observed.stores = std::move(*stores);
  auto broken = ground_.states.broken_invariants();
  if (!broken) return broken.error();
  performed.observed.broken = std::move(*broken);
  return {};
}

Result<std::unique_ptr<SentRequest>> PairRunner::send(Party party) {
  const auto request = bindings_->make(unit_of(party));
  if (!request) return request.error();
  return ground_.system.send(*request, traces_[party]);
}

void PairRunner::take(Party party, const Result<HttpAnswer>& answer, PerformedRun& performed) {
  if (!answer) {
    performed.observed.responses.push_back({.request = unit_of(party)});
    performed.observed.trouble = answer.error().what;
    return;
  }
  bindings_->take(unit_of(party), *answer);
  performed.observed.responses.push_back(observed_response(unit_of(party), *answer));
}

Result<void> PairRunner::send_and_take(Party party, PerformedRun& performed) {
  auto sent = send(party);
  if (!sent) return sent.error();
  take(party, (*sent)->take(), performed);
  return {};
}

Result<PerformedRun> PairRunner::recorded_run(const RunStart& start) {
  if (!is_between_branches_) return serial_run(start, {Party::first, Party::second});
  return run(start, {Party::first},
             [this](PerformedRun& performed) { return send_and_take(Party::first, performed); });
}

Result<PerformedRun> PairRunner::serial_run(const RunStart& start,
                                            const std::vector<Party>& order) {
  if (is_between_branches_) {
    Turns turns;
    for (const Party party : order) turns.push_back({.party = party});
    return overlapped_run(start, turns);
  }
  return run(start, order, [&](PerformedRun& performed) -> Result<void> {
    for (const Party party : order) {
      ground_.system.with_controller(
          [&](TurnController& controller) { controller.run_alone(party); });
      if (auto sent = send_and_take(party, performed); !sent) return sent;
      if (!ground_.system.wait_for_rest()) performed.observed.trouble = "it did not come to rest";
    }
    return {};
  });
}

Result<PerformedRun> PairRunner::after_answer_run(const RunStart& start, Party begins) {
  return run(start, {begins}, [&](PerformedRun& performed) -> Result<void> {
    ground_.system.with_controller(
        [](TurnController& controller) { controller.hold_background(); });
    const auto bound = milliseconds(ground_.system.bounds().silence_ms);
    for (const Party party : {begins, other(begins)}) {
      ground_.system.with_controller(
          [&](TurnController& controller) { controller.attribute_alone(party); });
      auto sent = send(party);
      if (!sent) return sent.error();
      if (!(*sent)->is_answered_before(PairClock::now() + bound)) {
        ground_.system.with_controller([](TurnController& controller) { controller.release(); });
      }
      take(party, (*sent)->take(), performed);
    }
    return {};
  });
}

Result<PerformedRun> PairRunner::overlapped_run(const RunStart& start, const Turns& turns) {
  return run(start, {}, [&](PerformedRun& performed) {
    ground_.system.watch_waits(true);
    auto followed = follow(turns, performed);
    ground_.system.watch_waits(false);
    return followed;
  });
}

Result<void> PairRunner::follow(const Turns& turns, PerformedRun& performed) {
  PerParty<std::unique_ptr<SentRequest>> sent;
  Result<void> followed;
  for (const Turn& turn : turns) {
    ground_.system.with_controller(
        [&](TurnController& controller) { controller.begin_turn(turn); });
    const Party sender = is_between_branches_ ? Party::first : turn.party;
    if (!sent[sender]) {
      auto request = send(sender);
      if (!request) {
        followed = request.error();
        break;
      }
      sent[sender] = std::move(*request);
    }
    if (!take_turn(turn, performed)) break;
  }
  ground_.system.with_controller([](TurnController& controller) { controller.release(); });
  for (const Party party : kParties) {
    if (sent[party]) take(party, sent[party]->take(), performed);
  }
  return followed;
}

// Whether the next turn can begin.
bool PairRunner::take_turn(const Turn& turn, PerformedRun& performed) {
  ground_.system.controller().wait_for_turn(PairClock::now() +
                                            milliseconds(ground_.system.bounds().hold_ms));
  TurnEnd end = TurnEnd::open;
  ground_.system.with_controller([&](TurnController& controller) { end = controller.turn_end(); });
  if (end == TurnEnd::open || end == TurnEnd::stuck) {
    performed.observed.trouble =
        fmt::format("nothing moved in the turn of {}", turn.party == Party::first ? "A" : "B");
  }
  if (turn.until && end == TurnEnd::ended) performed.drift = "it never came to the statement";
  return end == TurnEnd::ended || end == TurnEnd::at_point;
}

}  // namespace heddle

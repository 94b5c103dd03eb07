#include "race/replay/pair_replay.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "race/replay/control_run.h"
#include "race/requests/pair_plan.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;
using PairClock = std::chrono::steady_clock;

constexpr int kFirstErrorStatus = 400;

constexpr std::array<std::string_view, 3> kWayNames = {"rows", "again", "restart"};

std::uint64_t now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

bool has_error(const RacedRun& run) {
  return std::ranges::any_of(run.responses, [](const ObservedResponse& each) {
    return each.status >= kFirstErrorStatus || each.status == 0;
  });
}

// The first pair of the candidate that can overlap, or the first of all.
const RacePair& overlapping_pair(const ReplayGround& ground, const RaceCandidate& candidate) {
  const auto found = std::ranges::find_if(candidate.pairs, [&](const RacePair& pair) {
    return plan_pair(ground.trace, ground.dependencies, pair.first, pair.second).obstacle.empty();
  });
  return found == candidate.pairs.end() ? candidate.pairs.front() : *found;
}

// One candidate on its way.
class PairReplayer {
 public:
  PairReplayer(ReplayGround& ground, const RaceCandidate& candidate, const ReplayLimits& limits)
      : ground_(ground),
        candidate_(candidate),
        pair_(overlapping_pair(ground, candidate)),
        limits_(limits),
        plan_(plan_pair(ground.trace, ground.dependencies, pair_.first, pair_.second)) {
    replay_.id = candidate.id;
    replay_.pair = pair_;
  }

  Result<RaceReplay> run();

 private:
  // A run of both requests, or of one.
  struct Performed {
    RacedRun observed;
    RunRecord record;
    std::string drift;
  };

  std::uint64_t unit_of(Party party) const {
    return party == Party::first ? pair_.first : pair_.second;
  }

  Result<bool> prepare();
  Result<bool> prepare_at_pace(bool with_rests);
  Result<void> prepare_again();
  Result<void> put_back(RestoreWay way);
  Result<bool> find_way();
  Result<Performed> serial_run(const std::vector<Party>& order);
  Result<Performed> request_run();
  Result<Performed> overlapped_run(const Turns& turns);
  Result<Performed> after_answer_run();
  Result<void> learn();
  Result<void> learn_alone();
  Result<void> try_overlaps();
  Result<bool> judge(Performed performed, const Turns& turns, RaceOrder order);
  Result<Performed> finish(Performed performed, std::uint64_t begun_us,
                           const ReplayedSystem::LogPlaces& places);
  void begin_run(const std::vector<Party>& parties);
  Result<std::unique_ptr<SentRequest>> send(Party party);
  void take(Party party, const Result<HttpAnswer>& answer, Performed& performed);
  void settle(RaceResult result, std::string why, std::string what_helps = "");
  void settle_by_tries();
  bool is_over() const { return PairClock::now() >= limits_.end; }

  ReplayGround& ground_;
  const RaceCandidate& candidate_;
  const RacePair& pair_;
  ReplayLimits limits_;
  PairPlan plan_;
  RaceReplay replay_;
  std::optional<ReplayBindings> prepared_;  // behind the preceding requests
  std::optional<ReplayBindings> bindings_;  // of this run
  PerParty<std::string> traces_;
  PerParty<std::set<UnitShape>> known_;
  SerialRaceRuns serial_;
  std::shared_ptr<const RaceBaseline> baseline_;
  PerParty<std::vector<UnitShape>> branches_;  // where two of one request race
  std::vector<JudgedRun> judged_;
  bool needs_rest_ = false;
  std::optional<std::vector<ObservedStore>> before_;  // this run, where nothing was put back
  std::size_t followed_ = 0;                          // overlaps that went as they were meant to
  std::size_t infeasible_ = 0;
  std::size_t undecided_ = 0;
  std::optional<RunWait> wait_;
};

void PairReplayer::settle(RaceResult result, std::string why, std::string what_helps) {
  replay_.result = result;
  replay_.why = std::move(why);
  replay_.what_helps = std::move(what_helps);
}

// Reaches the state before the pair. False: that cannot be, and the result says why. What services
// follow on their own may matter to the next request: where it does, the system comes to rest after
// each.
Result<bool> PairReplayer::prepare() {
  const bool may_try = ground_.system.has_reset() && !needs_rest_;
  if (!may_try) return prepare_at_pace(true);
  auto prepared = prepare_at_pace(false);
  if (!prepared || *prepared) return prepared;
  needs_rest_ = true;
  return prepare_at_pace(true);
}

Result<bool> PairReplayer::prepare_at_pace(bool with_rests) {
  if (ground_.system.has_reset()) {
    if (auto reset = ground_.system.reset(); !reset) return reset.error();
  }
  ground_.system.wait_for_rest();
  ReplayBindings bindings(ground_.trace, ground_.dependencies, plan_,
                          secrets_of(ground_.system.config()));
  for (const std::uint64_t unit : plan_.before) {
    if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
    const auto request = bindings.make(unit);
    if (!request) {
      settle(RaceResult::not_replayable, request.error().what, request.error().what_to_do);
      return false;
    }
    const auto answer = ground_.system.ask(*request);
    if (!answer) {
      if (answer.error().trouble == Trouble::interrupted) return answer.error();
      settle(RaceResult::not_replayable, answer.error().what);
      return false;
    }
    if (auto difference = answer_difference(ground_.trace, unit, *answer); !difference.empty()) {
      settle(RaceResult::not_replayable, "on the way to its state: " + difference);
      return false;
    }
    bindings.take(unit, *answer);
    if (with_rests) ground_.system.wait_for_rest();
  }
  if (!ground_.system.wait_for_rest()) {
    settle(RaceResult::inconclusive,
           "the system does not come to rest: " + ground_.system.restless_part(),
           "say with \"rest\" in heddle.yaml how its rest is known, or raise --rest-timeout");
    return false;
  }
  prepared_.emplace(std::move(bindings));
  return true;
}

Result<void> PairReplayer::put_back(RestoreWay way) {
  if (way == RestoreWay::again) {
    return prepare_again();
  }
  if (way == RestoreWay::restart) {
    if (auto restarted = restart_system(ground_); !restarted) return restarted;
    return prepare_again();
  }
  const auto back = ground_.states.put_back();
  if (!back) return back.error();
  const bool is_back = *back && ground_.system.wait_for_rest();
  if (is_back) return {};
  return Diagnostic{.what = *back ? "the system does not come to rest after its rows were put back"
                                  : "rows that were put back are not what they were",
                    .trouble = Trouble::environment};
}

// The state before, which has rows of its own each time.
Result<void> PairReplayer::prepare_again() {
  const auto prepared = prepare();
  if (!prepared) return prepared.error();
  if (!*prepared) return Diagnostic{.what = replay_.why, .trouble = Trouble::environment};
  auto before = ground_.states.read();
  if (!before) return before.error();
  before_ = std::move(*before);
  return {};
}

void PairReplayer::begin_run(const std::vector<Party>& parties) {
  bindings_.emplace(*prepared_);
  for (const Party party : kParties) traces_[party] = ground_.system.new_trace();
  ground_.system.with_controller([&](TurnController& controller) {
    if (candidate_.is_between_branches) {
      controller.begin_branches(traces_[Party::first], branches_);
      return;
    }
    controller.begin_run(traces_, known_);
    if (parties.size() == 1) controller.run_alone(parties.front());
  });
}

Result<std::unique_ptr<SentRequest>> PairReplayer::send(Party party) {
  const auto request = bindings_->make(unit_of(party));
  if (!request) return request.error();
  return ground_.system.send(*request, traces_[party]);
}

void PairReplayer::take(Party party, const Result<HttpAnswer>& answer, Performed& performed) {
  if (!answer) {
    performed.observed.responses.push_back({.request = unit_of(party)});
    performed.observed.trouble = answer.error().what;
    return;
  }
  bindings_->take(unit_of(party), *answer);
  performed.observed.responses.push_back(observed_response(unit_of(party), *answer));
}

// What is left of a run once its requests were answered.
Result<PairReplayer::Performed> PairReplayer::finish(Performed performed, std::uint64_t begun_us,
                                                     const ReplayedSystem::LogPlaces& places) {
  if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
  ground_.system.with_controller([](TurnController& controller) { controller.release(); });
  if (!ground_.system.wait_for_rest() && performed.observed.trouble.empty()) {
    performed.observed.trouble =
        "the system did not come to rest: " + ground_.system.restless_part();
  }
  ground_.system.with_controller(
      [&](TurnController& controller) { performed.record = controller.end_run(); });
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
  performed.observed.logs = ground_.system.logs_since(places);
  performed.observed.before = before_;
  performed.observed.begun_us = begun_us;
  performed.observed.ended_us = now_us();
  if (!performed.record.doubts.empty() && performed.observed.trouble.empty()) {
    performed.observed.trouble =
        "it is not known which of the two sent " + performed.record.doubts.front();
  }
  return performed;
}

// The request of which two branches race, as it goes on its own.
Result<PairReplayer::Performed> PairReplayer::request_run() {
  const auto begun = now_us();
  const auto places = ground_.system.log_places();
  begin_run({Party::first});
  Performed performed;
  auto sent = send(Party::first);
  if (!sent) return sent.error();
  take(Party::first, (*sent)->take(), performed);
  return finish(std::move(performed), begun, places);
}

Result<PairReplayer::Performed> PairReplayer::serial_run(const std::vector<Party>& order) {
  if (candidate_.is_between_branches) {
    Turns turns;
    for (const Party party : order) turns.push_back({.party = party});
    return overlapped_run(turns);
  }
  const auto begun = now_us();
  const auto places = ground_.system.log_places();
  begin_run(order);
  Performed performed;
  for (const Party party : order) {
    ground_.system.with_controller(
        [&](TurnController& controller) { controller.run_alone(party); });
    auto sent = send(party);
    if (!sent) return sent.error();
    take(party, (*sent)->take(), performed);
    if (!ground_.system.wait_for_rest()) performed.observed.trouble = "it did not come to rest";
  }
  return finish(std::move(performed), begun, places);
}

// The second is sent as soon as the first is answered. What services do on their own is held
// meanwhile, since what they would have followed by then is a matter of luck.
Result<PairReplayer::Performed> PairReplayer::after_answer_run() {
  const auto begun = now_us();
  const auto places = ground_.system.log_places();
  begin_run({Party::first});
  ground_.system.with_controller([](TurnController& controller) { controller.hold_background(); });
  Performed performed;
  for (const Party party : kParties) {
    ground_.system.with_controller(
        [&](TurnController& controller) { controller.attribute_alone(party); });
    auto sent = send(party);
    if (!sent) return sent.error();
    const auto bound = milliseconds(ground_.system.bounds().silence_ms);
    if (!(*sent)->is_answered_before(PairClock::now() + bound)) {
      ground_.system.with_controller([](TurnController& controller) { controller.release(); });
    }
    take(party, (*sent)->take(), performed);
  }
  return finish(std::move(performed), begun, places);
}

Result<PairReplayer::Performed> PairReplayer::overlapped_run(const Turns& turns) {
  const auto begun = now_us();
  const auto places = ground_.system.log_places();
  begin_run({});
  ground_.system.watch_waits(true);
  Performed performed;
  PerParty<std::unique_ptr<SentRequest>> sent;
  Result<void> trouble;
  for (const Turn& turn : turns) {
    ground_.system.with_controller(
        [&](TurnController& controller) { controller.begin_turn(turn); });
    const Party sender = candidate_.is_between_branches ? Party::first : turn.party;
    if (!sent[sender]) {
      auto request = send(sender);
      if (!request) {
        trouble = request.error();
        break;
      }
      sent[sender] = std::move(*request);
    }
    ground_.system.controller().wait_for_turn(PairClock::now() +
                                              milliseconds(ground_.system.bounds().hold_ms));
    TurnEnd end = TurnEnd::open;
    ground_.system.with_controller(
        [&](TurnController& controller) { end = controller.turn_end(); });
    if (end == TurnEnd::open || end == TurnEnd::stuck) {
      performed.observed.trouble =
          fmt::format("nothing moved in the turn of {}", turn.party == Party::first ? "A" : "B");
    }
    if (turn.until && end == TurnEnd::ended) performed.drift = "it never came to the statement";
    if (end != TurnEnd::ended && end != TurnEnd::at_point) break;
  }
  ground_.system.with_controller([](TurnController& controller) { controller.release(); });
  for (const Party party : kParties) {
    if (sent[party]) take(party, sent[party]->take(), performed);
  }
  ground_.system.watch_waits(false);
  auto finished = finish(std::move(performed), begun, places);
  if (!trouble) return trouble.error();
  return finished;
}

// The first control run, and the first way to put its state back after which it is the same again.
// False: there is none.
Result<bool> PairReplayer::find_way() {
  const std::vector<Party> recorded = {Party::first, Party::second};
  auto before = ground_.states.read();
  if (!before) return before.error();
  serial_.before = std::move(*before);
  if (auto remembered = ground_.states.remember(); !remembered) return remembered.error();
  auto control = candidate_.is_between_branches ? request_run() : serial_run(recorded);
  if (!control) {
    if (control.error().trouble == Trouble::interrupted) return control.error();
    settle(RaceResult::not_replayable, control.error().what, control.error().what_to_do);
    return false;
  }
  const std::string difference =
      control_difference(ground_.trace, pair_, control->observed, control->record);
  if (!difference.empty()) {
    settle(RaceResult::not_replayable, difference);
    return false;
  }
  for (const RunUnit& unit : control->record.units) {
    if (unit.party) known_[*unit.party].insert(unit.shape);
  }
  replay_.serial = control->record;
  std::vector<RestoreWay> ways = {RestoreWay::rows};
  if (ground_.system.has_reset()) ways.push_back(RestoreWay::again);
  if (ground_.system.can_restart()) ways.push_back(RestoreWay::restart);
  std::string first_trouble;
  for (const RestoreWay way : ways) {
    if (auto back = put_back(way); !back) {
      if (back.error().trouble == Trouble::interrupted) return back.error();
      if (first_trouble.empty()) first_trouble = back.error().what;
      continue;
    }
    auto repeated = candidate_.is_between_branches ? request_run() : serial_run(recorded);
    if (!repeated) return repeated.error();
    std::string why =
        control_difference(ground_.trace, pair_, repeated->observed, repeated->record);
    if (why.empty()) {
      why = repetition_difference(control->observed, repeated->observed);
    }
    if (why.empty()) {
      replay_.way = way;
      if (candidate_.is_between_branches) return true;
      serial_.first_then_second.push_back(std::move(control->observed));
      serial_.first_then_second.push_back(std::move(repeated->observed));
      return true;
    }
    if (first_trouble.empty())
      first_trouble = fmt::format("after a restore ({}) {}", to_string(way), why);
  }
  settle(RaceResult::not_replayable, first_trouble,
         "give heddle.yaml a command \"reset\" that brings rows and memory back");
  return false;
}

// The orders that are not known yet, each twice.
Result<void> PairReplayer::learn() {
  for (const Party begins : kParties) {
    auto& runs = begins == Party::first ? serial_.first_then_second : serial_.second_then_first;
    while (runs.size() < 2) {
      if (auto back = put_back(*replay_.way); !back) return back;
      auto run = serial_run({begins, other(begins)});
      if (!run) return run.error();
      for (const RunUnit& unit : run->record.units) {
        if (unit.party) known_[*unit.party].insert(unit.shape);
      }
      if (candidate_.is_between_branches) replay_.serial = run->record;
      runs.push_back(std::move(run->observed));
    }
  }
  for (const Party party : kParties) {
    if (candidate_.is_between_branches && party == Party::second) break;
    const std::uint64_t unit = unit_of(party);
    const auto request = std::ranges::find(ground_.trace.requests, unit, &TraceRequest::unit);
    serial_.requests.push_back({.unit = unit,
                                .name = party == Party::first ? "A" : "B",
                                .method = request->method,
                                .service = ground_.trace.head.edges[request->edge].callee,
                                .target = request->target});
  }
  baseline_ = learn_baseline(serial_, ground_.judging);
  replay_.masked = masked_places(*baseline_);
  return {};
}

// What each leaves alone tells whether one that ended with an error left anything.
Result<void> PairReplayer::learn_alone() {
  if (serial_.first_alone) return {};
  for (const Party party : kParties) {
    if (auto back = put_back(*replay_.way); !back) return back;
    auto run = serial_run({party});
    if (!run) return run.error();
    (party == Party::first ? serial_.first_alone : serial_.second_alone) = std::move(run->observed);
  }
  baseline_ = learn_baseline(serial_, ground_.judging);
  return {};
}

// Whether nothing more need be tried.
Result<bool> PairReplayer::judge(Performed performed, const Turns& turns, RaceOrder order) {
  if (has_error(performed.observed) && !candidate_.is_between_branches) {
    if (auto learned = learn_alone(); !learned) return learned.error();
  }
  JudgedRun run{.turns = turns,
                .record = std::move(performed.record),
                .observed = std::move(performed.observed),
                .verdict = {},
                .drift = std::move(performed.drift)};
  run.verdict = judge_run(*baseline_, run.observed, order);
  if (!turns.empty()) ++replay_.runs;
  if (turns.empty() || !run.drift.empty()) {
    // Nothing overlapped.
  } else if (run.record.waits.empty()) {
    ++followed_;
  } else {
    ++infeasible_;
    if (!wait_) wait_ = run.record.waits.front();
  }
  if (run.verdict.kind == RaceVerdictKind::inconclusive) ++undecided_;
  judged_.push_back(std::move(run));
  return judged_.back().verdict.kind == RaceVerdictKind::confirmed;
}

Result<void> PairReplayer::try_overlaps() {
  if (!candidate_.is_between_branches) {
    if (auto back = put_back(*replay_.way); !back) return back;
    auto after = after_answer_run();
    if (!after) return after.error();
    const auto stale = judge(std::move(*after), {}, RaceOrder::after_answer);
    if (!stale) return stale.error();
    if (*stale) return {};
  }
  PerParty<std::vector<SwitchPoint>> points;
  for (const Party party : kParties) {
    points[party] =
        switch_points(*replay_.serial, party, conflict_points(ground_.trace, pair_, party));
  }
  const std::vector<Turns> all = overlapping_turns(points);
  std::size_t tried = 0;
  for (const Turns& turns : all) {
    if (tried == limits_.runs || is_over()) break;
    ++tried;
    if (auto back = put_back(*replay_.way); !back) return back;
    auto run = overlapped_run(turns);
    if (!run) return run.error();
    const auto done = judge(std::move(*run), turns, RaceOrder::overlapped);
    if (!done) return done.error();
    if (*done) break;
  }
  replay_.left = all.size() - tried;
  return {};
}

// By the worst that was seen.
void PairReplayer::settle_by_tries() {
  const auto find = [&](RaceVerdictKind kind) {
    return std::ranges::find(judged_, kind, [](const JudgedRun& run) { return run.verdict.kind; });
  };
  constexpr std::array<std::pair<RaceVerdictKind, RaceResult>, 3> kByRun = {{
      {RaceVerdictKind::confirmed, RaceResult::confirmed},
      {RaceVerdictKind::error_under_overlap, RaceResult::error_under_overlap},
      {RaceVerdictKind::refused, RaceResult::refused},
  }};
  for (const auto& [kind, result] : kByRun) {
    const auto found = find(kind);
    if (replay_.shown || found == judged_.end()) continue;
    settle(found->verdict.is_stale_read ? RaceResult::stale_read : result, found->verdict.why);
    replay_.shown = *found;
  }
  if (replay_.shown) return;
  const RaceVerdict orders = judge_orders(*baseline_);
  if (orders.kind == RaceVerdictKind::inconclusive) {
    settle(RaceResult::inconclusive, orders.why);
  } else if (undecided_ > 0) {
    const auto found = find(RaceVerdictKind::inconclusive);
    settle(RaceResult::inconclusive, found->verdict.why);
    replay_.shown = *found;
  } else if (infeasible_ > 0 && followed_ == 0) {
    settle(RaceResult::not_feasible,
           fmt::format("{} waits for {} {}", wait_->party == Party::first ? "A" : "B",
                       wait_->party == Party::first ? "B" : "A",
                       wait_->is_in_database ? "in the database" : "in the application"));
  } else if (followed_ == 0) {
    settle(RaceResult::inconclusive, "no overlap of the two came about",
           "record requests of these endpoints that go through to their end");
  } else if (orders.kind == RaceVerdictKind::order_dependent) {
    settle(RaceResult::order_dependent, orders.why);
  } else {
    settle(RaceResult::nothing, "each overlap that was tried came out as a serial order does");
  }
}

Result<RaceReplay> PairReplayer::run() {
  if (!plan_.obstacle.empty()) {
    settle(RaceResult::not_replayable, plan_.obstacle);
    return replay_;
  }
  if (candidate_.is_between_branches) {
    for (const Party party : kParties) {
      for (const SwitchPoint& point : conflict_points(ground_.trace, pair_, party)) {
        branches_[party].push_back(point.shape);
      }
    }
  }
  const auto prepared = prepare();
  if (!prepared) return prepared.error();
  if (!*prepared) return replay_;
  const auto way = find_way();
  if (!way) return way.error();
  if (!*way) return replay_;
  if (auto learned = learn(); !learned) return learned.error();
  if (auto tried = try_overlaps(); !tried) return tried.error();
  settle_by_tries();
  return replay_;
}

}  // namespace

Result<void> restart_system(ReplayGround& ground) {
  if (auto restarted = ground.system.restart(); !restarted) return restarted;
  auto states = StoreStates::open(ground.system.config());
  if (!states) return states.error();
  ground.states = std::move(*states);
  return {};
}

std::string_view to_string(RestoreWay way) { return kWayNames[static_cast<std::size_t>(way)]; }

Result<RaceReplay> replay_candidate(ReplayGround& ground, const RaceCandidate& candidate,
                                    const ReplayLimits& limits) {
  return PairReplayer(ground, candidate, limits).run();
}

}  // namespace heddle

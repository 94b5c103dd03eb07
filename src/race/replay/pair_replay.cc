#include "race/replay/pair_replay.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "race/replay/control_run.h"
#include "race/replay/expectations.h"
#include "race/replay/pair_runs.h"
#include "race/requests/pair_plan.h"
#include "race/turns/turn_plans.h"

namespace heddle {
namespace {

constexpr int kFirstErrorStatus = 400;
constexpr std::size_t kMostTriesOfRun = 3;

bool has_error(const RacedRun& run) {
  return std::ranges::any_of(run.responses, [](const ObservedResponse& each) {
    return each.status >= kFirstErrorStatus || each.status == 0;
  });
}

// The first pair of the candidate that can overlap with nothing displaced, else with the least; or
// the first of all.
const RacePair& overlapping_pair(const ReplayGround& ground, const RaceCandidate& candidate) {
  const RacePair* best = nullptr;
  std::size_t least = 0;
  for (const RacePair& pair : candidate.pairs) {
    const PairPlan plan = plan_pair(ground.trace, ground.dependencies, pair.first, pair.second);
    if (!plan.obstacle.empty() || (best != nullptr && plan.displaced >= least)) continue;
    best = &pair;
    least = plan.displaced;
    if (least == 0) break;
  }
  return best == nullptr ? candidate.pairs.front() : *best;
}

// One candidate on its way.
class PairReplayer {
 public:
  PairReplayer(ReplayGround& ground, const RaceCandidate& candidate, ReplayLimits limits)
      : ground_(ground),
        candidate_(candidate),
        pair_(overlapping_pair(ground, candidate)),
        limits_(std::move(limits)),
        state_(ground, pair_),
        runner_(ground, pair_, candidate.is_between_branches) {
    replay_.id = candidate.id;
    replay_.pair = pair_;
  }

  Result<RaceReplay> run();

 private:
  using Running = std::function<Result<PerformedRun>(const RunStart& start)>;

  Result<bool> prepare(std::optional<PerformedRun>& control);
  Result<PairState::Obstacle> try_preparation(const Preparation& preparation,
                                              std::optional<PerformedRun>& control);
  Result<PerformedRun> control_run();
  std::string control_trouble(const PerformedRun& control) const;
  Result<bool> find_way(PerformedRun& control);
  Result<std::string> try_way(const RestorePlan& way, RacedRun& control);
  Result<PerformedRun> run_from_start(const Running& running);
  Result<void> replay();
  Result<void> learn();
  Result<void> learn_alone();
  Result<void> try_overlaps();
  Result<bool> try_answer_first();
  Result<void> repeat(const RepeatedSchedule& again);
  Result<RepeatedRun> run_again(const RepeatedSchedule& again);
  Result<RepeatedRun> run_orders_again();
  Result<JudgedRun> judge(PerformedRun performed, const Turns& turns, RaceOrder order);
  Result<bool> count(PerformedRun performed, const Turns& turns, RaceOrder order);
  void settle(RaceSettlement settled);
  bool is_over() const { return std::chrono::steady_clock::now() >= limits_.end; }

  ReplayGround& ground_;
  const RaceCandidate& candidate_;
  const RacePair& pair_;
  ReplayLimits limits_;
  PairState state_;
  PairRunner runner_;
  RaceReplay replay_;
  SerialRaceRuns serial_;
  std::shared_ptr<const RaceBaseline> baseline_;
  RunTally tally_;
  const RestorePlan* way_ = nullptr;
  JudgeSettings judging_;
  std::vector<ObservedStore> beginning_;  // of the requests before the control run
  bool has_waited_ = false;
};

void PairReplayer::settle(RaceSettlement settled) {
  replay_.result = settled.result;
  replay_.why = std::move(settled.why);
  replay_.what_helps = std::move(settled.what_helps);
  replay_.shown = std::move(settled.shown);
}

// Whether the state was reached in which both give what was recorded, one after the other. The
// obstacle of the first preparation that waits for what services follow is told.
Result<bool> PairReplayer::prepare(std::optional<PerformedRun>& control) {
  std::optional<RaceSettlement> obstacle;
  for (const Preparation& preparation : state_.preparations()) {
    if (obstacle && is_over()) break;
    auto trouble = try_preparation(preparation, control);
    if (!trouble) return trouble.error();
    if (*trouble && !std::exchange(ground_.is_connected, true)) {
      // It may be that the system's connections ended with an earlier run of heddle.
      const auto connected = state_.connect();
      if (!connected && connected.error().trouble == Trouble::interrupted) {
        return connected.error();
      }
      trouble = try_preparation(preparation, control);
      if (!trouble) return trouble.error();
    }
    if (!*trouble) return true;
    if (preparation.restarts) ++ground_.vain_restarts;
    if (!obstacle || !has_waited_) obstacle = std::move(**trouble);
    has_waited_ = has_waited_ || preparation.with_rests;
  }
  settle(std::move(*obstacle));
  return false;
}

// Why the control run does not come about; none: it did.
Result<PairState::Obstacle> PairReplayer::try_preparation(const Preparation& preparation,
                                                          std::optional<PerformedRun>& control) {
  auto reached = state_.reach(preparation);
  if (!reached || *reached) return reached;
  auto run = control_run();
  if (!run) return run.error();
  if (!run->observed.trouble.empty()) {
    return PairState::Obstacle(
        RaceSettlement{.result = RaceResult::not_replayable, .why = run->observed.trouble});
  }
  control = std::move(*run);
  beginning_ = state_.beginning();
  ground_.is_connected = true;
  return PairState::Obstacle();
}

// What is recorded, where that comes about; else its trouble says what does not.
Result<PerformedRun> PairReplayer::control_run() {
  auto before = state_.remember();
  if (!before) return before.error();
  serial_.before = std::move(*before);
  auto control = runner_.recorded_run(state_.start());
  if (!control) {
    if (control.error().trouble == Trouble::interrupted) return control.error();
    PerformedRun failed;
    failed.observed.trouble = control.error().what;
    return failed;
  }
  control->observed.trouble = control_trouble(*control);
  return control;
}

// Why the run is no control run. A schedule that is run again needs its own statements only: that
// others are new may be what mends the race.
std::string PairReplayer::control_trouble(const PerformedRun& control) const {
  if (!limits_.again) {
    return control_difference(ground_.trace, pair_, control.observed, control.record);
  }
  std::string difference = answers_difference(ground_.trace, pair_, control.observed);
  return difference.empty() ? missing_point(*limits_.again, control.record) : difference;
}

// The first way to put the state of the control run back after which it is the same again. False:
// there is none.
Result<bool> PairReplayer::find_way(PerformedRun& control) {
  runner_.learn_shapes(control.record);
  replay_.serial = control.record;
  std::string first_trouble;
  for (const RestorePlan& way : ground_.plans) {
    const auto trouble = try_way(way, control.observed);
    if (!trouble) return trouble.error();
    if (trouble->empty()) {
      way_ = &way;
      replay_.restored = way.name;
      return true;
    }
    if (first_trouble.empty()) first_trouble = *trouble;
  }
  settle({.result = RaceResult::not_replayable,
          .why = first_trouble,
          .what_helps = "give heddle.yaml a command \"reset\" that brings rows and memory back"});
  return false;
}

// Why this is no way back; empty: it is one, and both control runs are known.
Result<std::string> PairReplayer::try_way(const RestorePlan& way, RacedRun& control) {
  const auto is_interrupt = [](const Diagnostic& trouble) {
    return trouble.trouble == Trouble::interrupted;
  };
  if (auto back = state_.put_back(way); !back) {
    if (is_interrupt(back.error())) return back.error();
    return back.error().what;
  }
  await_another_second(control);
  auto repeated = runner_.recorded_run(state_.start());
  if (!repeated && is_interrupt(repeated.error())) return repeated.error();
  std::string why = repeated ? control_trouble(*repeated) : repeated.error().what;
  const std::vector<ObservedStore>& before = way.sends_again ? beginning_ : serial_.before;
  if (why.empty()) why = repetition_difference(before, control, repeated->observed);
  if (!why.empty()) return fmt::format("after a restore ({}) {}", way.name, why);
  serial_.before = before;
  if (!candidate_.is_between_branches) {
    serial_.first_then_second.push_back(std::move(control));
    serial_.first_then_second.push_back(std::move(repeated->observed));
    replay_.orders[Party::first] = {*replay_.serial, std::move(repeated->record)};
  }
  return std::string();
}

// From the state before. A run that met a connection that had ended is made again.
Result<PerformedRun> PairReplayer::run_from_start(const Running& running) {
  for (std::size_t tries = 1;; ++tries) {
    if (auto back = state_.put_back(*way_); !back) return back.error();
    auto performed = running(state_.start());
    if (!performed || !performed->is_cut || tries == kMostTriesOfRun) return performed;
  }
}

// The orders that are not known yet, each twice.
Result<void> PairReplayer::learn() {
  for (const Party begins : kParties) {
    auto& runs = begins == Party::first ? serial_.first_then_second : serial_.second_then_first;
    while (runs.size() < 2) {
      if (!runs.empty()) await_another_second(runs.front());
      auto run = run_from_start([&](const RunStart& start) {
        return runner_.serial_run(start, {begins, other(begins)});
      });
      if (!run) return run.error();
      runner_.learn_shapes(run->record);
      if (candidate_.is_between_branches) replay_.serial = run->record;
      runs.push_back(std::move(run->observed));
      replay_.orders[begins].push_back(std::move(run->record));
    }
  }
  for (const Party party : kParties) {
    if (candidate_.is_between_branches && party == Party::second) break;
    const std::uint64_t unit = party == Party::first ? pair_.first : pair_.second;
    const auto request = std::ranges::find(ground_.trace.requests, unit, &TraceRequest::unit);
    serial_.requests.push_back({.unit = unit,
                                .name = party == Party::first ? "A" : "B",
                                .method = request->method,
                                .service = ground_.trace.head.edges[request->edge].callee,
                                .target = request->target});
  }
  judging_ = ground_.judging;
  judging_.expected = expected_fields(ground_.system.config(), serial_.requests);
  baseline_ = learn_baseline(serial_, judging_);
  replay_.masked = masked_places(*baseline_);
  return {};
}

// What each leaves alone tells whether one that ended with an error left anything.
Result<void> PairReplayer::learn_alone() {
  if (serial_.first_alone) return {};
  for (const Party party : kParties) {
    auto run =
        run_from_start([&](const RunStart& start) { return runner_.serial_run(start, {party}); });
    if (!run) return run.error();
    (party == Party::first ? serial_.first_alone : serial_.second_alone) = std::move(run->observed);
  }
  baseline_ = learn_baseline(serial_, judging_);
  return {};
}

Result<JudgedRun> PairReplayer::judge(PerformedRun performed, const Turns& turns, RaceOrder order) {
  if (has_error(performed.observed) && !candidate_.is_between_branches) {
    if (auto learned = learn_alone(); !learned) return learned.error();
  }
  JudgedRun run{.turns = turns,
                .order = order,
                .record = std::move(performed.record),
                .observed = std::move(performed.observed),
                .verdict = {},
                .drift = std::move(performed.drift)};
  run.verdict = judge_run(*baseline_, run.observed, order);
  return run;
}

// Whether nothing more need be tried.
Result<bool> PairReplayer::count(PerformedRun performed, const Turns& turns, RaceOrder order) {
  auto run = judge(std::move(performed), turns, order);
  if (!run) return run.error();
  return tally_.add(std::move(*run));
}

// Whether nothing more need be tried.
Result<bool> PairReplayer::try_answer_first() {
  if (candidate_.is_between_branches) return false;
  for (const Party begins : kParties) {
    auto after = run_from_start(
        [&](const RunStart& start) { return runner_.after_answer_run(start, begins); });
    if (!after) return after.error();
    const auto done = count(std::move(*after), {{.party = begins}, {.party = other(begins)}},
                            RaceOrder::after_answer);
    if (!done || *done) return done;
  }
  return false;
}

Result<void> PairReplayer::try_overlaps() {
  const auto stale = try_answer_first();
  if (!stale) return stale.error();
  if (*stale) return {};
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
    auto run =
        run_from_start([&](const RunStart& start) { return runner_.overlapped_run(start, turns); });
    if (!run) return run.error();
    const auto done = count(std::move(*run), turns, RaceOrder::overlapped);
    if (!done) return done.error();
    if (*done) break;
  }
  replay_.left = all.size() - tried;
  return {};
}

// An interruption leaves what was run until then.
Result<void> PairReplayer::repeat(const RepeatedSchedule& again) {
  while (replay_.repeated.size() < again.runs && !is_over()) {
    auto run = again.result == RaceResult::order_dependent ? run_orders_again() : run_again(again);
    if (!run) {
      const bool is_interrupt = run.error().trouble == Trouble::interrupted;
      if (is_interrupt && !replay_.repeated.empty()) break;
      return run.error();
    }
    replay_.repeated.push_back(std::move(*run));
  }
  return {};
}

Result<RepeatedRun> PairReplayer::run_again(const RepeatedSchedule& again) {
  auto performed = run_from_start([&](const RunStart& start) {
    return again.order == RaceOrder::after_answer
               ? runner_.after_answer_run(start, again.turns.front().party)
               : runner_.overlapped_run(start, again.turns);
  });
  if (!performed) return performed.error();
  const auto run = judge(std::move(*performed), again.turns, again.order);
  if (!run) return run.error();
  return repeated_run(*run);
}

Result<RepeatedRun> PairReplayer::run_orders_again() {
  SerialRaceRuns serial = serial_;
  for (const Party begins : kParties) {
    auto run = run_from_start(
        [&](const RunStart& start) { return runner_.serial_run(start, {begins, other(begins)}); });
    if (!run) return run.error();
    auto& runs = begins == Party::first ? serial.first_then_second : serial.second_then_first;
    runs.insert(runs.begin(), std::move(run->observed));
  }
  return repeated_orders(judge_orders(*learn_baseline(std::move(serial), judging_)));
}

Result<void> PairReplayer::replay() {
  std::optional<PerformedRun> control;
  const auto prepared = prepare(control);
  if (!prepared) return prepared.error();
  if (!*prepared) return {};
  const auto way = find_way(*control);
  if (!way) return way.error();
  if (!*way) return {};
  if (auto learned = learn(); !learned) return learned;
  if (limits_.again) return repeat(*limits_.again);
  if (auto tried = try_overlaps(); !tried) return tried;
  replay_.runs = tally_.runs();
  settle(tally_.settle(judge_orders(*baseline_)));
  return {};
}

Result<RaceReplay> PairReplayer::run() {
  if (!state_.plan().obstacle.empty()) {
    settle({.result = RaceResult::not_replayable, .why = state_.plan().obstacle});
    replay_.plan = state_.plan();
    return replay_;
  }
  if (auto replayed = replay(); !replayed) return replayed.error();
  replay_.plan = state_.sent();
  // The next candidate begins with the system as it is then.
  if (auto given = state_.give_back(); !given && given.error().trouble == Trouble::interrupted) {
    return given.error();
  }
  return replay_;
}

}  // namespace

Result<RaceReplay> replay_candidate(ReplayGround& ground, const RaceCandidate& candidate,
                                    const ReplayLimits& limits) {
  return PairReplayer(ground, candidate, limits).run();
}

}  // namespace heddle

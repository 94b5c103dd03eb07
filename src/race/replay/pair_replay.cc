#include "race/replay/pair_replay.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "race/replay/control_run.h"
#include "race/replay/pair_runs.h"
#include "race/replay/turn_plans.h"
#include "race/requests/pair_plan.h"

namespace heddle {
namespace {

constexpr int kFirstErrorStatus = 400;

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
        plan_(plan_pair(ground.trace, ground.dependencies, pair_.first, pair_.second)),
        state_(ground, plan_),
        runner_(ground, pair_, candidate.is_between_branches) {
    replay_.id = candidate.id;
    replay_.pair = pair_;
    replay_.plan = plan_;
  }

  Result<RaceReplay> run();

 private:
  std::string control_trouble(const PerformedRun& control) const;
  Result<bool> find_way();
  Result<std::string> try_way(RestoreWay way, RacedRun& control);
  Result<PerformedRun> serial_run_from_start(const std::vector<Party>& order);
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
  PairPlan plan_;
  PairState state_;
  PairRunner runner_;
  RaceReplay replay_;
  SerialRaceRuns serial_;
  std::shared_ptr<const RaceBaseline> baseline_;
  RunTally tally_;
};

void PairReplayer::settle(RaceSettlement settled) {
  replay_.result = settled.result;
  replay_.why = std::move(settled.why);
  replay_.what_helps = std::move(settled.what_helps);
  replay_.shown = std::move(settled.shown);
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

// The first control run, and the first way to put its state back after which it is the same again.
// False: there is none.
Result<bool> PairReplayer::find_way() {
  auto before = state_.remember();
  if (!before) return before.error();
  serial_.before = std::move(*before);
  auto control = runner_.recorded_run(state_.start());
  if (!control) {
    if (control.error().trouble == Trouble::interrupted) return control.error();
    settle({.result = RaceResult::not_replayable,
            .why = control.error().what,
            .what_helps = control.error().what_to_do});
    return false;
  }
  const std::string difference = control_trouble(*control);
  if (!difference.empty()) {
    settle({.result = RaceResult::not_replayable, .why = difference});
    return false;
  }
  runner_.learn_shapes(control->record);
  replay_.serial = control->record;
  std::string first_trouble;
  for (const RestoreWay way : state_.ways()) {
    const auto trouble = try_way(way, control->observed);
    if (!trouble) return trouble.error();
    if (trouble->empty()) {
      replay_.way = way;
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
Result<std::string> PairReplayer::try_way(RestoreWay way, RacedRun& control) {
  if (auto back = state_.put_back(way); !back) {
    if (back.error().trouble == Trouble::interrupted) return back.error();
    return back.error().what;
  }
  auto repeated = runner_.recorded_run(state_.start());
  if (!repeated) return repeated.error();
  std::string why = control_trouble(*repeated);
  if (why.empty()) why = repetition_difference(control, repeated->observed);
  if (!why.empty()) return fmt::format("after a restore ({}) {}", to_string(way), why);
  if (!candidate_.is_between_branches) {
    serial_.first_then_second.push_back(std::move(control));
    serial_.first_then_second.push_back(std::move(repeated->observed));
  }
  return std::string();
}

Result<PerformedRun> PairReplayer::serial_run_from_start(const std::vector<Party>& order) {
  if (auto back = state_.put_back(*replay_.way); !back) return back.error();
  return runner_.serial_run(state_.start(), order);
}

// The orders that are not known yet, each twice.
Result<void> PairReplayer::learn() {
  for (const Party begins : kParties) {
    auto& runs = begins == Party::first ? serial_.first_then_second : serial_.second_then_first;
    while (runs.size() < 2) {
      auto run = serial_run_from_start({begins, other(begins)});
      if (!run) return run.error();
      runner_.learn_shapes(run->record);
      if (candidate_.is_between_branches) replay_.serial = run->record;
      runs.push_back(std::move(run->observed));
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
  baseline_ = learn_baseline(serial_, ground_.judging);
  replay_.masked = masked_places(*baseline_);
  return {};
}

// What each leaves alone tells whether one that ended with an error left anything.
Result<void> PairReplayer::learn_alone() {
  if (serial_.first_alone) return {};
  for (const Party party : kParties) {
    auto run = serial_run_from_start({party});
    if (!run) return run.error();
    (party == Party::first ? serial_.first_alone : serial_.second_alone) = std::move(run->observed);
  }
  baseline_ = learn_baseline(serial_, ground_.judging);
  return {};
}

Result<JudgedRun> PairReplayer::judge(PerformedRun performed, const Turns& turns, RaceOrder order) {
  if (has_error(performed.observed) && !candidate_.is_between_branches) {
    if (auto learned = learn_alone(); !learned) return learned.error();
  }
  JudgedRun run{.turns = turns,
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

Result<bool> PairReplayer::try_answer_first() {
  if (candidate_.is_between_branches) return false;
  if (auto back = state_.put_back(*replay_.way); !back) return back.error();
  auto after = runner_.after_answer_run(state_.start());
  if (!after) return after.error();
  return count(std::move(*after), {}, RaceOrder::after_answer);
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
    if (auto back = state_.put_back(*replay_.way); !back) return back;
    auto run = runner_.overlapped_run(state_.start(), turns);
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
  if (auto back = state_.put_back(*replay_.way); !back) return back.error();
  const bool is_read = again.result == RaceResult::stale_read;
  auto performed = is_read ? runner_.after_answer_run(state_.start())
                           : runner_.overlapped_run(state_.start(), again.turns);
  if (!performed) return performed.error();
  const auto run = judge(std::move(*performed), again.turns,
                         is_read ? RaceOrder::after_answer : RaceOrder::overlapped);
  if (!run) return run.error();
  return repeated_run(*run);
}

Result<RepeatedRun> PairReplayer::run_orders_again() {
  SerialRaceRuns serial = serial_;
  for (const Party begins : kParties) {
    auto run = serial_run_from_start({begins, other(begins)});
    if (!run) return run.error();
    auto& runs = begins == Party::first ? serial.first_then_second : serial.second_then_first;
    runs.insert(runs.begin(), std::move(run->observed));
  }
  return repeated_orders(judge_orders(*learn_baseline(std::move(serial), ground_.judging)));
}

Result<RaceReplay> PairReplayer::run() {
  if (!plan_.obstacle.empty()) {
    settle({.result = RaceResult::not_replayable, .why = plan_.obstacle});
    return replay_;
  }
  auto obstacle = state_.reach();
  if (!obstacle) return obstacle.error();
  if (*obstacle) {
    settle(std::move(**obstacle));
    return replay_;
  }
  const auto way = find_way();
  if (!way) return way.error();
  if (!*way) return replay_;
  if (auto learned = learn(); !learned) return learned.error();
  if (limits_.again) {
    if (auto repeated = repeat(*limits_.again); !repeated) return repeated.error();
    return replay_;
  }
  if (auto tried = try_overlaps(); !tried) return tried.error();
  replay_.runs = tally_.runs();
  settle(tally_.settle(judge_orders(*baseline_)));
  return replay_;
}

}  // namespace

Result<RaceReplay> replay_candidate(ReplayGround& ground, const RaceCandidate& candidate,
                                    const ReplayLimits& limits) {
  return PairReplayer(ground, candidate, limits).run();
}

}  // namespace heddle

#include "race/replay/pair_state.h"

#include <array>
#include <utility>

#include "base/interrupt.h"
#include "race/replay/control_run.h"
#include "race/requests/secret_values.h"

namespace heddle {
namespace {

constexpr std::array<std::string_view, 3> kWayNames = {"rows", "again", "restart"};

}  // namespace

std::string_view to_string(RestoreWay way) { return kWayNames[static_cast<std::size_t>(way)]; }

// What services follow on their own may matter to the next request: where it does, the system comes
// to rest after each.
Result<PairState::Obstacle> PairState::reach() {
  const bool may_try = ground_.system.has_reset() && !needs_rest_;
  if (!may_try) return reach_at_pace(true);
  auto obstacle = reach_at_pace(false);
  if (!obstacle || !*obstacle) return obstacle;
  needs_rest_ = true;
  return reach_at_pace(true);
}

Result<PairState::Obstacle> PairState::reach_at_pace(bool with_rests) {
  if (ground_.system.has_reset()) {
    if (auto reset = ground_.system.reset(); !reset) return reset.error();
  }
  ground_.system.wait_for_rest();
  ReplayBindings bindings(ground_.trace, ground_.dependencies, plan_,
                          secrets_of(ground_.system.config()));
  auto obstacle = send_preceding(bindings, with_rests);
  if (!obstacle || *obstacle) return obstacle;
  if (!ground_.system.wait_for_rest()) {
    return Obstacle(RaceSettlement{
        .result = RaceResult::inconclusive,
        .why = "the system does not come to rest: " + ground_.system.restless_part(),
        .what_helps =
            "say with \"rest\" in heddle.yaml how its rest is known, or raise --rest-timeout"});
  }
  start_.emplace(RunStart{.bindings = std::move(bindings)});
  return Obstacle();
}

Result<PairState::Obstacle> PairState::send_preceding(ReplayBindings& bindings, bool with_rests) {
  for (const std::uint64_t unit : plan_.before) {
    if (interrupted()) return Diagnostic{.what = "interrupted", .trouble = Trouble::interrupted};
    const auto request = bindings.make(unit);
    if (!request) {
      return Obstacle(RaceSettlement{.result = RaceResult::not_replayable,
                                     .why = request.error().what,
                                     .what_helps = request.error().what_to_do});
    }
    const auto answer = ground_.system.ask(*request);
    if (!answer) {
      if (answer.error().trouble == Trouble::interrupted) return answer.error();
      return Obstacle(
          RaceSettlement{.result = RaceResult::not_replayable, .why = answer.error().what});
    }
    if (auto difference = answer_difference(ground_.trace, unit, *answer); !difference.empty()) {
      return Obstacle(RaceSettlement{.result = RaceResult::not_replayable,
                                     .why = "on the way to its state: " + difference});
    }
    bindings.take(unit, *answer);
    if (with_rests) ground_.system.wait_for_rest();
  }
  return Obstacle();
}

Result<std::vector<ObservedStore>> PairState::remember() {
  auto before = ground_.states.read();
  if (!before) return before;
  if (auto remembered = ground_.states.remember(); !remembered) return remembered.error();
  return before;
}

std::vector<RestoreWay> PairState::ways() const {
  std::vector<RestoreWay> ways = {RestoreWay::rows};
  if (ground_.system.has_reset()) ways.push_back(RestoreWay::again);
  if (ground_.system.can_restart()) ways.push_back(RestoreWay::restart);
  return ways;
}

Result<void> PairState::put_back(RestoreWay way) {
  if (way == RestoreWay::again) return reach_again();
  if (way == RestoreWay::restart) {
    if (auto restarted = restart_system(ground_); !restarted) return restarted;
    return reach_again();
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
Result<void> PairState::reach_again() {
  const auto obstacle = reach();
  if (!obstacle) return obstacle.error();
  if (*obstacle) return Diagnostic{.what = (**obstacle).why, .trouble = Trouble::environment};
  auto before = ground_.states.read();
  if (!before) return before.error();
  start_->before = std::move(*before);
  return {};
}

}  // namespace heddle

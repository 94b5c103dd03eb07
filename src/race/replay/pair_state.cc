#include "race/replay/pair_state.h"

#include <algorithm>
#include <utility>

#include "base/interrupt.h"
#include "race/replay/control_run.h"
#include "race/replay/reconnecting.h"
#include "race/requests/secret_values.h"

namespace heddle {
namespace {

using StateClock = std::chrono::steady_clock;

// Tokens may expire while a candidate is tried.
constexpr std::chrono::seconds kTokenAge{20};
// A system that was started again in vain so often will not come to other states by that.
constexpr std::size_t kMostVainRestarts = 2;
// Of so many requests each may have the system at rest before it.
constexpr std::size_t kMostWithRests = 60;
constexpr int kFirstRefusal = 400;
// Of a service to a store, where nobody has counted them.
constexpr std::size_t kSupposedConnections = 4;

std::vector<std::string> stores_of(const RestorePlan& way, StoreRestore restore) {
  std::vector<std::string> stores;
  for (const auto& [name, each] : way.stores) {
    if (each == restore) stores.push_back(name);
  }
  return stores;
}

Diagnostic restless(const std::string& part) {
  return {.what = "the system does not come to rest: " + part,
          .what_to_do =
              "say with \"rest\" in heddle.yaml how its rest is known, or raise --rest-timeout",
          .trouble = Trouble::environment};
}

}  // namespace

PairState::PairState(ReplayGround& ground, const RacePair& pair)
    : ground_(ground),
      plan_(plan_pair(ground.trace, ground.dependencies, pair.first, pair.second)),
      everything_(
          plan_everything_before(ground.trace, ground.dependencies, pair.first, pair.second)) {}

// What services follow on their own may matter to the next request: where it does, the system comes
// to rest after each. Where nothing brings data back, the recorded names are taken.
std::vector<Preparation> PairState::preparations() const {
  const bool resets = ground_.system.has_reset();
  const bool is_fresh = ground_.plans.size() == 1 && ground_.plans.front().renames;
  std::vector<Preparation> all;
  if (resets && !is_fresh) all.push_back({.resets = true});
  all.push_back({.resets = resets, .with_rests = true, .renames = is_fresh});
  if (everything_.before != plan_.before) {
    all.push_back({.resets = resets,
                   .with_rests = everything_.before.size() <= kMostWithRests,
                   .sends_everything = true,
                   .renames = is_fresh});
  }
  if (!is_fresh && !resets) all.push_back({.with_rests = true, .renames = true});
  if (ground_.system.can_restart() && ground_.vain_restarts < kMostVainRestarts) {
    all.push_back({.resets = resets, .restarts = true, .with_rests = true, .renames = is_fresh});
  }
  return all;
}

Result<void> PairState::bring_back_system(const Preparation& preparation) {
  if (preparation.resets) {
    if (auto reset = ground_.system.reset(); !reset) return reset;
  }
  if (preparation.restarts) {
    if (auto restarted = restart_system(ground_, preparation.services); !restarted) {
      return restarted;
    }
  }
  if (preparation.resets_last) {
    if (auto reset = ground_.system.reset(); !reset) return reset;
  }
  ground_.system.wait_for_rest();
  return {};
}

Result<PairState::Obstacle> PairState::reach(const Preparation& preparation) {
  preparation_ = preparation;
  sent_ = preparation.sends_everything ? &everything_ : &plan_;
  if (auto back = bring_back_system(preparation); !back) return back.error();
  auto beginning = ground_.states.read();
  if (!beginning) return beginning.error();
  beginning_ = std::move(*beginning);
  ReplayBindings bindings(ground_.trace, ground_.dependencies, *sent_,
                          secrets_of(ground_.system.config()));
  FreshNames names;
  if (preparation.renames) {
    names = fresh_names(ground_.dependencies, *sent_, ground_.next_names());
    bindings.rename(names);
  }
  auto obstacle = send_preceding(sent_->before, preparation.with_rests, bindings);
  if (!obstacle || *obstacle) return obstacle;
  if (!ground_.system.wait_for_rest()) {
    const Diagnostic trouble = restless(ground_.system.restless_part());
    return Obstacle(RaceSettlement{
        .result = RaceResult::inconclusive, .why = trouble.what, .what_helps = trouble.what_to_do});
  }
  tokens_at_ = StateClock::now();
  start_.emplace(RunStart{.bindings = std::move(bindings)});
  for (FreshName& each : names.names) {
    start_->renamed.emplace_back(std::move(each.fresh), std::move(each.recorded));
  }
  return Obstacle();
}

Result<PairState::Obstacle> PairState::send_preceding(const std::vector<std::uint64_t>& units,
                                                      bool with_rests, ReplayBindings& bindings) {
  for (const std::uint64_t unit : units) {
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

bool PairState::has_clones(const RestorePlan& way) const {
  return !stores_of(way, StoreRestore::clone).empty();
}

Result<std::vector<ObservedStore>> PairState::remember() {
  if (ground_.plans.size() == 1 && has_clones(ground_.plans.front())) {
    if (auto given = give_back(); !given) return given.error();
    if (auto taken = take_clones(ground_.plans.front()); !taken) return taken.error();
    if (auto renewed = renew_clones(ground_.plans.front()); !renewed) return renewed.error();
    if (!ground_.system.wait_for_rest()) return restless(ground_.system.restless_part());
  }
  auto before = ground_.states.read();
  if (!before) return before;
  if (auto remembered = ground_.states.remember(); !remembered) return remembered.error();
  return before;
}

Result<void> PairState::put_back(const RestorePlan& way) {
  const bool is_cloned = has_clones(way);
  if (!is_cloned) {
    if (auto given = give_back(); !given) return given;
  } else if (!clones_) {
    if (auto taken = take_clones(way); !taken) return taken;
  }
  if (auto back = put_rows_back(way); !back) return back;
  if (is_cloned) {
    if (auto renewed = renew_clones(way); !renewed) return renewed;
  }
  if (way.sends_again) return reach_again(way);
  if (way.restarts) {
    if (auto restarted = restart_system(ground_, way.services); !restarted) return restarted;
  }
  if (auto renewed = renew_tokens(way.restarts); !renewed) return renewed;
  if (!ground_.system.wait_for_rest()) return restless(ground_.system.restless_part());
  return {};
}

Result<void> PairState::put_rows_back(const RestorePlan& way) {
  const auto back = ground_.states.put_back(stores_of(way, StoreRestore::rows));
  if (!back) return back.error();
  if (*back) return {};
  return Diagnostic{.what = "rows that were put back are not what they were",
                    .trouble = Trouble::environment};
}

// What is copied has to be the state before the pair, which a run may have left already.
Result<void> PairState::take_clones(const RestorePlan& way) {
  const std::vector<std::string> stores = stores_of(way, StoreRestore::clone);
  if (start_ && ground_.plans.size() > 1) {
    const auto back = ground_.states.put_back(stores);
    if (!back || !*back) {
      const auto obstacle = reach(preparation_);
      if (!obstacle) return obstacle.error();
      if (*obstacle) return Diagnostic{.what = (**obstacle).why, .trouble = Trouble::environment};
    }
  }
  auto taken = StoreClones::take(ground_.system, ground_.states, stores);
  if (!taken) return taken.error();
  clones_ = std::move(*taken);
  return {};
}

// What the requests left by which services connected anew is put back.
Result<void> PairState::renew_clones(const RestorePlan& way) {
  const auto ended = clones_->renew();
  if (!ended) return ended.error();
  if (way.restarts) return {};
  if (auto done = reconnect(ground_, *sent_, start_->bindings, *ended); !done) return done;
  if (!ground_.system.wait_for_rest()) return restless(ground_.system.restless_part());
  const auto back = ground_.states.put_back(stores_of(way, StoreRestore::clone));
  if (!back) return back.error();
  if (!*back) {
    return Diagnostic{.what = "rows of a clone that were put back are not what they were",
                      .trouble = Trouble::environment};
  }
  return put_rows_back(way);
}

Result<void> PairState::give_back() {
  if (!clones_) return {};
  const EndedConnections ended = clones_->give_back();
  clones_.reset();
  ground_.system.watch_stores_anew();
  return reconnect_and_put_back(start_->bindings, ended);
}

Result<void> PairState::connect() {
  EndedConnections ended;
  for (const std::string& store : ground_.states.seen()) ended[store] = kSupposedConnections;
  const ReplayBindings bindings(ground_.trace, ground_.dependencies, plan_,
                                secrets_of(ground_.system.config()));
  return reconnect_and_put_back(bindings, ended);
}

Result<void> PairState::reconnect_and_put_back(const ReplayBindings& bindings,
                                               const EndedConnections& ended) {
  if (auto remembered = ground_.states.remember(); !remembered) return remembered;
  if (auto done = reconnect(ground_, *sent_, bindings, ended); !done) return done;
  if (!ground_.system.wait_for_rest()) return restless(ground_.system.restless_part());
  const auto back = ground_.states.put_back(ground_.states.seen());
  if (!back) return back.error();
  return {};
}

// The state before, which has rows of its own each time.
Result<void> PairState::reach_again(const RestorePlan& way) {
  Preparation preparation = preparation_;
  preparation.resets = way.resets;
  preparation.restarts = way.restarts;
  preparation.services = way.services;
  preparation.resets_last = way.resets_last;
  preparation.renames = way.renames || (preparation.renames && !way.resets && !way.resets_last);
  const auto obstacle = reach(preparation);
  if (!obstacle) return obstacle.error();
  if (*obstacle) return Diagnostic{.what = (**obstacle).why, .trouble = Trouble::environment};
  start_->before = beginning_;
  return {};
}

// Those that services keep in their memory have gone with a restart.
Result<void> PairState::renew_tokens(bool is_due) {
  if (!is_due && StateClock::now() - tokens_at_ < kTokenAge) return {};
  tokens_at_ = StateClock::now();
  for (const std::uint64_t unit : requests_with_tokens(ground_.dependencies, *sent_)) {
    const auto request = start_->bindings.make(unit);
    if (!request) return request.error();
    const auto answer = ground_.system.ask(*request);
    if (!answer) return answer.error();
    if (answer->status < kFirstRefusal) start_->bindings.take(unit, *answer);
  }
  return {};
}

}  // namespace heddle

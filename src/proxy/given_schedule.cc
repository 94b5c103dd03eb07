#include "proxy/given_schedule.h"

#include <algorithm>

#include "wire/postgres/statement_essence.h"

namespace heddle {

std::string unit_shape(const HeldUnit& unit) {
  if (!unit.is_request) return postgres::statement_template(*unit.text);
  return unit.text->substr(0, unit.text->find('?'));
}

void GivenScheduleController::begin(UnitHolder& holder, EventLoop& loop) {
  holder_ = &holder;
  loop_ = &loop;
}

std::size_t GivenScheduleController::next() const {
  const auto found = std::ranges::find(states_, false, &State::is_past);
  return static_cast<std::size_t>(found - states_.begin());
}

void GivenScheduleController::arrived(const HeldUnit& unit) {
  const std::uint64_t connection = unit.connection.number;
  ScheduledUnit found{.party = party_of_(unit), .shape = unit_shape(unit)};
  if (found.party.empty() || drift_) {
    loop_->call_soon(
        [this, connection, ordinal = unit.ordinal] { holder_->permit(connection, ordinal); });
    return;
  }
  std::size_t at = 0;
  while (at < schedule_.size() && (schedule_[at].party != found.party || states_[at].has_come)) {
    ++at;
  }
  if (at < schedule_.size() && schedule_[at] == found) {
    states_[at].has_come = true;
    states_[at].connection = connection;
    states_[at].ordinal = unit.ordinal;
  } else {
    drift_ = {.at = at, .found = std::move(found)};
    released_.emplace_back(connection, unit.ordinal);
  }
  loop_->call_soon([this] { let_go(); });
}

// Null: the unit is none of the schedule.
GivenScheduleController::State* GivenScheduleController::state_of(const HeldUnit& unit) {
  const auto found = std::ranges::find_if(states_, [&](const State& each) {
    return each.has_come && each.connection == unit.connection.number &&
           each.ordinal == unit.ordinal;
  });
  return found == states_.end() ? nullptr : &*found;
}

void GivenScheduleController::changed(const HeldUnit& unit, UnitState how) {
  if (how != UnitState::blocked && how != UnitState::waiting) return;
  if (State* const state = state_of(unit)) state->is_past = true;
  loop_->call_soon([this] { let_go(); });
}

void GivenScheduleController::ended(const HeldUnit& unit, HeldEnd) {
  if (State* const state = state_of(unit)) {
    state->is_running = false;
    state->is_past = true;
  }
  loop_->call_soon([this] { let_go(); });
}

void GivenScheduleController::let_go() {
  for (std::size_t at = 0; at < states_.size(); ++at) {
    State& state = states_[at];
    const bool is_held = state.has_come && !state.is_running && !state.is_past;
    if (!is_held || (!drift_ && at != next())) continue;
    state.is_running = true;
    holder_->permit(state.connection, state.ordinal);
    if (!drift_) break;
  }
  for (const auto& [connection, ordinal] : std::exchange(released_, {})) {
    holder_->permit(connection, ordinal);
  }
}

}  // namespace heddle

#include "proxy/unit_states.h"

#include <algorithm>

namespace heddle {

void UnitStates::begin(UnitHolder& holder, EventLoop& loop) {
  holder_ = &holder;
  loop_ = &loop;
  next_.begin(*this, loop);
}

void UnitStates::arrived(const HeldUnit& unit) {
  std::string party = options_.party_of(unit);
  units_[key_of(unit)] = {.unit = unit, .party = party};
  moved(party);
  next_.arrived(unit);
}

void UnitStates::permit(std::uint64_t connection, std::uint64_t ordinal) {
  const auto found = units_.find({connection, ordinal});
  if (found != units_.end()) found->second.state = UnitState::permitted;
  holder_->permit(connection, ordinal);
}

void UnitStates::refuse(std::uint64_t connection, std::uint64_t ordinal, std::string_view why) {
  const auto found = units_.find({connection, ordinal});
  if (found != units_.end()) {
    const std::string party = found->second.party;
    units_.erase(found);
    moved(party);
  }
  holder_->refuse(connection, ordinal, why);
}

void UnitStates::changed(const HeldUnit& unit, UnitState state) {
  const auto found = units_.find(key_of(unit));
  if (found != units_.end()) {
    found->second.state = state;
    const std::string party = found->second.party;
    moved(party);
  }
  next_.changed(unit, state);
}

void UnitStates::ended(const HeldUnit& unit, HeldEnd how) {
  const auto found = units_.find(key_of(unit));
  if (found != units_.end()) {
    const std::string party = found->second.party;
    units_.erase(found);
    moved(party);
  }
  next_.ended(unit, how);
}

// Whoever is told may let units go or refuse them, so that all have changed before.
void UnitStates::change(const std::vector<Key>& keys, UnitState state) {
  std::vector<HeldUnit> told;
  for (const Key& key : keys) {
    units_.at(key).state = state;
    told.push_back(units_.at(key).unit);
  }
  for (const HeldUnit& each : told) next_.changed(each, state);
}

void UnitStates::tell_blocked(const std::vector<std::size_t>& edges, const BackendWaits& waits) {
  std::vector<Key> blocked;
  std::vector<Key> running;
  for (const auto& [key, each] : units_) {
    const bool is_asked = std::ranges::find(edges, each.unit.connection.edge) != edges.end();
    if (!is_asked || each.unit.is_request) continue;
    const bool is_blocked = waits.contains(each.unit.backend);
    if (is_blocked && each.state == UnitState::running) blocked.push_back(key);
    if (!is_blocked && each.state == UnitState::blocked) running.push_back(key);
  }
  change(blocked, UnitState::blocked);
  change(running, UnitState::running);
}

std::vector<UnitStates::Key> UnitStates::units_of(const std::string& party, UnitState state) const {
  std::vector<Key> keys;
  for (const auto& [key, each] : units_) {
    if (each.party == party && each.state == state) keys.push_back(key);
  }
  return keys;
}

// Whether the party has requests at services, and nothing else.
bool UnitStates::may_wait(const std::string& party) const {
  return !party.empty() && std::ranges::all_of(units_, [&](const auto& each) {
    const UnitOnItsWay& unit = each.second;
    const bool is_at_service = unit.unit.is_request && unit.state == UnitState::running;
    return unit.party != party || is_at_service;
  });
}

// What was waiting is running again: it may be that which made the party move.
void UnitStates::moved(const std::string& party) {
  if (party.empty()) return;
  if (std::ranges::any_of(units_, [&](const auto& each) { return each.second.party == party; })) {
    last_moves_[party] = Clock::now();
  } else {
    last_moves_.erase(party);
  }
  change(units_of(party, UnitState::waiting), UnitState::running);
  set_timer();
}

void UnitStates::look() {
  std::vector<Key> waiting;
  for (const auto& [party, last] : last_moves_) {
    if (last + options_.quiet > Clock::now() || !may_wait(party)) continue;
    for (const Key& key : units_of(party, UnitState::running)) waiting.push_back(key);
  }
  change(waiting, UnitState::waiting);
  set_timer();
}

void UnitStates::set_timer() {
  if (timer_) loop_->cancel(*std::exchange(timer_, std::nullopt));
  Clock::time_point first = Clock::time_point::max();
  for (const auto& [party, last] : last_moves_) {
    if (may_wait(party)) first = std::min(first, last + options_.quiet);
  }
  if (first == Clock::time_point::max()) return;
  timer_ = loop_->call_at(first, [this] {
    timer_.reset();
    look();
  });
}

std::optional<UnitState> UnitStates::state(std::uint64_t connection, std::uint64_t ordinal) const {
  const auto found = units_.find({connection, ordinal});
  if (found == units_.end()) return std::nullopt;
  return found->second.state;
}

std::vector<UnitOnItsWay> UnitStates::units() const {
  std::vector<UnitOnItsWay> units;
  for (const auto& [key, each] : units_) units.push_back(each);
  return units;
}

}  // namespace heddle

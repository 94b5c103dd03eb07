#include "proxy/one_party.h"

#include <algorithm>

#include "base/text.h"

namespace heddle {

void OnePartyController::begin(UnitHolder& holder, EventLoop& loop) {
  holder_ = &holder;
  loop_ = &loop;
}

void OnePartyController::arrived(const HeldUnit& unit) {
  Unit each{
      .party = party_of_(unit), .connection = unit.connection.number, .ordinal = unit.ordinal};
  if (!each.party.empty() && each.party != turn_) {
    held_.push_back(std::move(each));
    return;
  }
  loop_->call_soon([this, connection = each.connection, ordinal = each.ordinal] {
    holder_->permit(connection, ordinal);
  });
  running_.push_back(std::move(each));
}

void OnePartyController::ended(const HeldUnit& unit, HeldEnd) {
  const auto is_it = [&](const Unit& each) {
    return each.connection == unit.connection.number && each.ordinal == unit.ordinal;
  };
  std::erase_if(held_, is_it);
  std::erase_if(running_, is_it);
}

void OnePartyController::turn_to(std::optional<std::string> party) {
  turn_ = std::move(party);
  if (!turn_) return;
  std::vector<Unit> going;
  std::erase_if(held_, [&](const Unit& each) {
    if (each.party == *turn_) going.push_back(each);
    return each.party == *turn_;
  });
  running_.insert(running_.end(), going.begin(), going.end());
  for (const Unit& each : going) holder_->permit(each.connection, each.ordinal);
}

std::vector<std::string> OnePartyController::held_parties() const {
  std::vector<std::string> parties;
  for (const Unit& each : held_) {
    if (!is_one_of(each.party, parties)) parties.push_back(each.party);
  }
  return parties;
}

std::size_t OnePartyController::running(const std::string& party) const {
  return static_cast<std::size_t>(std::ranges::count(running_, party, &Unit::party));
}

}  // namespace heddle

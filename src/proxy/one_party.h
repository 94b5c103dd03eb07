// The controller that lets one party go at a time: whatever then arrives is of that party, or
// waits.
//
// Whose a unit is says who makes the controller: by connection, or by flow. A unit of nobody
// (background) is never held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/controller.h"

namespace heddle {

class OnePartyController : public ProxyController {
 public:
  explicit OnePartyController(PartyOf party_of) : party_of_(std::move(party_of)) {}

  void begin(UnitHolder& holder, EventLoop& loop) override;
  void arrived(const HeldUnit& unit) override;
  void ended(const HeldUnit& unit, HeldEnd how) override;

  // For the thread of the proxies.

  // Whose units go from now on; none: nobody's.
  void turn_to(std::optional<std::string> party);
  // The parties that have a unit held, in the order in which these arrived.
  std::vector<std::string> held_parties() const;
  // Units of the party that were let go and are not answered.
  std::size_t running(const std::string& party) const;

 private:
  struct Unit {
    std::string party;
    std::uint64_t connection = 0;
    std::uint64_t ordinal = 0;
  };

  PartyOf party_of_;
  UnitHolder* holder_ = nullptr;
  EventLoop* loop_ = nullptr;
  std::optional<std::string> turn_;
  std::vector<Unit> held_;
  std::vector<Unit> running_;
};

}  // namespace heddle

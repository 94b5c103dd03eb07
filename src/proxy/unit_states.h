// Where each unit is, told to whoever decides: a controller in front of another.
//
//   UnitStates states(controller, {.party_of = party_of});
//   auto proxies = Proxies::start(std::move(edges), observer, {.controller = &states});
//   proxies->call([&] { states.tell_blocked({0}, waits); });   // what a BlockWatch has seen
//
// The proxies see a unit arrive, go and be answered. That its statement waits for a lock the
// database alone knows, which somebody asks and tells here. That its request waits in the
// application (for a pool's connection, a mutex, a single worker) nobody tells: it is taken to do
// so when nothing of its party has moved for a while, and none of its statements is with a
// database.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proxy/controller.h"

namespace heddle {

// Who waits in a database, and for whom: numbers that the server gave its connections.
using BackendWaits = std::map<std::uint32_t, std::vector<std::uint32_t>>;

struct UnitStateOptions {
  PartyOf party_of;                      // a unit of nobody never counts as waiting
  std::chrono::milliseconds quiet{500};  // in which nothing of a party moves, until it waits
};

// A unit that has arrived and has not come to its end.
struct UnitOnItsWay {
  HeldUnit unit;
  std::string party;
  UnitState state = UnitState::arrived;
};

class UnitStates : public ProxyController, private UnitHolder {
 public:
  // REQUIRES: `next` outlives it.
  UnitStates(ProxyController& next, UnitStateOptions options)
      : next_(next), options_(std::move(options)) {}

  void begin(UnitHolder& holder, EventLoop& loop) override;
  void arrived(const HeldUnit& unit) override;
  void changed(const HeldUnit& unit, UnitState state) override;
  void ended(const HeldUnit& unit, HeldEnd how) override;

  // For the thread of the proxies.

  // Who waits now in the database behind those edges.
  void tell_blocked(const std::vector<std::size_t>& edges, const BackendWaits& waits);
  // None: it has not arrived, or has come to its end.
  std::optional<UnitState> state(std::uint64_t connection, std::uint64_t ordinal) const;
  // In the order of their connections.
  std::vector<UnitOnItsWay> units() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // connection and ordinal

  static Key key_of(const HeldUnit& unit) { return {unit.connection.number, unit.ordinal}; }
  void permit(std::uint64_t connection, std::uint64_t ordinal) override;
  void refuse(std::uint64_t connection, std::uint64_t ordinal, std::string_view why) override;
  void change(const std::vector<Key>& keys, UnitState state);
  std::vector<Key> units_of(const std::string& party, UnitState state) const;
  bool may_wait(const std::string& party) const;
  void moved(const std::string& party);
  void look();
  void set_timer();

  ProxyController& next_;
  UnitStateOptions options_;
  UnitHolder* holder_ = nullptr;
  EventLoop* loop_ = nullptr;
  std::map<Key, UnitOnItsWay> units_;
  std::map<std::string, Clock::time_point> last_moves_;  // of parties that have units
  std::optional<std::uint64_t> timer_;
};

}  // namespace heddle

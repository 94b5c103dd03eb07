// Who goes next: units that proxies hold, and whoever decides when each is let go.
//
// A unit is a statement (an execution or a Query with all its statements) or a request. It arrives
// when it is the next of its connection: everything that the client had sent before it has been
// answered. It is held until the controller permits it; then it goes to the server, where it runs,
// may wait in the database or in the application (unit_states.h), and is answered.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/event_loop.h"
#include "proxy/observer.h"

namespace heddle {

struct HeldUnit {
  ProxiedConnection connection;
  std::uint64_t ordinal = 0;  // of the connection, as observers are told it
  bool is_request = false;
  std::shared_ptr<const std::string> text;  // of the statement, or "GET /path?query"; never null
  std::vector<postgres::WireParameter> parameters = {};  // of a statement that was bound
  std::string trace = {};                                // of a request: the id of its trace
  char state = '?';                                      // of the transaction before it: I, T, E
  std::uint32_t backend = 0;  // the server's number of the connection; 0: not known
};

// Where a unit is, from its arrival to its end.
enum class UnitState : std::uint8_t {
  arrived,    // and is held
  permitted,  // and the server has not been sent all of it
  running,    // the server has it
  blocked,    // its statement waits in the database for another transaction
  waiting,    // the application that has its request waits for something
};

// How a unit that was held came to its end.
enum class HeldEnd : std::uint8_t {
  answered,  // it was permitted, and the server has answered
  gone,      // its client has left, or the connection has ended
  canceled,  // its client has asked for that while it was held
};

// The party of a unit; empty: nobody's.
using PartyOf = std::function<std::string(const HeldUnit& unit)>;

// What a controller decides with. For the thread of the proxies.
class UnitHolder {
 public:
  UnitHolder() = default;
  UnitHolder(const UnitHolder&) = delete;
  UnitHolder& operator=(const UnitHolder&) = delete;
  virtual ~UnitHolder() = default;

  // Lets it go. Nothing happens where it is not held any more.
  virtual void permit(std::uint64_t connection, std::uint64_t ordinal) = 0;
  // It never runs: the client gets an error that says why.
  virtual void refuse(std::uint64_t connection, std::uint64_t ordinal, std::string_view why) = 0;
};

// All methods are called in the thread of the proxies.
class ProxyController {
 public:
  ProxyController() = default;
  ProxyController(const ProxyController&) = delete;
  ProxyController& operator=(const ProxyController&) = delete;
  virtual ~ProxyController() = default;

  // Called once, before anything else, with what stays there as long as the controller is used.
  virtual void begin(UnitHolder& holder, EventLoop& loop) = 0;
  // The unit is held from now on.
  virtual void arrived(const HeldUnit& unit) = 0;
  // It was permitted, and this is its state now. The server may have it before permit() returns.
  // Nobody but UnitStates tells that it is blocked or waiting.
  virtual void changed(const HeldUnit& /*unit*/, UnitState /*state*/) {}
  virtual void ended(const HeldUnit& unit, HeldEnd how) = 0;
};

}  // namespace heddle

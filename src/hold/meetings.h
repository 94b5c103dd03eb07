// Meetings: statements behind which connections wait for each other.
//
// A connection has got to a meeting when its statement of that pattern was answered; whatever it
// sends next is held until so many have got there, or until one of those that are missing waits in
// the database for one that is there: then it will not come before that one goes on. A bound ends
// the waiting. Then a meeting begins anew.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hold/statement_pattern.h"
#include "proxy/controller.h"
#include "store/postgres/blocked_backends.h"

namespace heddle {

struct MeetingPlan {
  std::string text;             // as it was given: "2: SELECT balance FROM account*"
  std::string pattern;          // of its statements
  std::size_t connections = 2;  // that meet
};

// What came of a meeting.
struct MeetingCounts {
  std::size_t met = 0;
  std::size_t kept_out = 0;  // one waited in the database for the other
  std::size_t missed = 0;    // the bound ended it
};

class Meetings {
 public:
  using Clock = std::chrono::steady_clock;
  // Units that may go now: connection and ordinal.
  using Released = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

  explicit Meetings(const std::vector<MeetingPlan>& plans);

  // True: it is held until `ended`, `blocked` or `time_is` release it.
  bool holds(const HeldUnit& unit, Clock::time_point end);
  void ended(const HeldUnit& unit, HeldEnd how);
  void blocked(const BlockedBackends& waits);
  void time_is(Clock::time_point now);
  // The end of the first one's waiting; max(): nobody waits.
  Clock::time_point next_end() const;
  Released take_released() { return std::exchange(released_, {}); }

  bool is_waiting() const;
  std::vector<MeetingCounts> counts() const;

 private:
  struct Meeting {
    StatementPattern pattern;
    std::size_t connections;
    MeetingCounts counts = {};
    std::map<std::uint64_t, std::uint32_t> there = {};    // connections, with their backends
    std::map<std::uint64_t, std::uint32_t> running = {};  // that have sent the statement
    std::set<std::uint64_t> excused = {};                 // of the last meeting, still to come
    std::map<std::uint64_t, std::uint64_t> held = {};     // by connection
    Clock::time_point end = Clock::time_point::max();
  };

  void release(Meeting& meeting, std::size_t& counted);

  std::vector<Meeting> meetings_;
  Released released_;
};

}  // namespace heddle

// An order of named statements: each goes when those before it have been answered, or wait in the
// database for one that comes later.
//
// A name is a party and a number, A1, pay2; a party is one connection, the first that sends one of
// its statements. What matches no name that is still to come is not held.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hold/statement_pattern.h"
#include "proxy/controller.h"
#include "store/postgres/blocked_backends.h"

namespace heddle {

struct OrderedStatement {
  std::string name;     // "A1"
  std::string pattern;  // of its statement
};

class StatedOrder {
 public:
  using Clock = std::chrono::steady_clock;
  using Released = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

  explicit StatedOrder(const std::vector<OrderedStatement>& order);

  bool holds(const HeldUnit& unit, Clock::time_point end);
  void ended(const HeldUnit& unit, HeldEnd how);
  void blocked(const BlockedBackends& waits);
  void time_is(Clock::time_point now);
  Clock::time_point next_end() const { return end_; }
  Released take_released() { return std::exchange(released_, {}); }

  // Whether something is held, or runs that may wait.
  bool is_waiting() const;
  // Of each statement in the order: what became of it.
  enum class State : std::uint8_t { missing, held, running, waits, answered };
  std::vector<State> states() const;
  // False: the bound has ended it.
  bool was_kept() const { return was_kept_; }

 private:
  struct Step {
    std::string party;
    StatementPattern pattern;
    State state = State::missing;
    std::uint64_t connection = 0;
    std::uint64_t ordinal = 0;
    std::uint32_t backend = 0;
  };

  Step* step_of(const HeldUnit& unit);
  bool may_go(const Step& step) const;
  void let_go();

  std::vector<Step> steps_;
  std::map<std::string, std::uint64_t> connections_;  // of parties
  Released released_;
  Clock::time_point end_ = Clock::time_point::max();
  bool was_kept_ = true;
};

}  // namespace heddle

#include "hold/stated_order.h"

#include <algorithm>

#include "base/text.h"

namespace heddle {
namespace {

// "A1" is of A.
std::string party_of(std::string name) {
  const std::string whole = name;
  while (!name.empty() && is_digit(name.back())) name.pop_back();
  return name.empty() ? whole : name;
}

}  // namespace

StatedOrder::StatedOrder(const std::vector<OrderedStatement>& order) {
  for (const OrderedStatement& each : order) {
    steps_.push_back({.party = party_of(each.name), .pattern = StatementPattern(each.pattern)});
  }
}

// The next of its party, if the unit can be that; null: it is none.
StatedOrder::Step* StatedOrder::step_of(const HeldUnit& unit) {
  const std::uint64_t connection = unit.connection.number;
  const auto own = std::ranges::find_if(
      connections_, [&](const auto& each) { return each.second == connection; });
  for (Step& step : steps_) {
    if (step.state != State::missing) continue;
    const bool is_free = !connections_.contains(step.party) && own == connections_.end();
    const bool is_own = own != connections_.end() && own->first == step.party;
    const bool is_next = std::ranges::none_of(steps_, [&](const Step& other) {
      return &other < &step && other.party == step.party && other.state == State::missing;
    });
    if ((is_free || is_own) && is_next && step.pattern.matches(*unit.text)) return &step;
  }
  return nullptr;
}

bool StatedOrder::may_go(const Step& step) const {
  return std::ranges::all_of(steps_, [&](const Step& other) {
    return &other >= &step || other.state == State::answered || other.state == State::waits;
  });
}

bool StatedOrder::holds(const HeldUnit& unit, Clock::time_point end) {
  if (!was_kept_ || unit.is_request) return false;
  Step* const step = step_of(unit);
  if (step == nullptr) return false;
  connections_[step->party] = unit.connection.number;
  step->connection = unit.connection.number;
  step->ordinal = unit.ordinal;
  step->backend = unit.backend;
  step->state = may_go(*step) ? State::running : State::held;
  if (step->state == State::held) end_ = std::min(end_, end);
  return step->state == State::held;
}

void StatedOrder::ended(const HeldUnit& unit, HeldEnd) {
  for (Step& step : steps_) {
    const bool is_this = step.connection == unit.connection.number && step.ordinal == unit.ordinal;
    if (is_this && step.state != State::missing) step.state = State::answered;
  }
  let_go();
}

void StatedOrder::blocked(const BlockedBackends& waits) {
  for (Step& step : steps_) {
    if (step.state == State::running && waits.contains(step.backend)) step.state = State::waits;
  }
  let_go();
}

void StatedOrder::let_go() {
  bool is_held = false;
  for (Step& step : steps_) {
    if (step.state != State::held) continue;
    if (may_go(step)) {
      step.state = State::running;
      released_.emplace_back(step.connection, step.ordinal);
      end_ = Clock::time_point::max();
    } else {
      is_held = true;
    }
  }
  if (!is_held) end_ = Clock::time_point::max();
}

void StatedOrder::time_is(Clock::time_point now) {
  if (end_ > now) return;
  was_kept_ = false;
  end_ = Clock::time_point::max();
  for (Step& step : steps_) {
    if (step.state == State::held) released_.emplace_back(step.connection, step.ordinal);
  }
}

bool StatedOrder::is_waiting() const {
  return std::ranges::any_of(steps_, [](const Step& each) { return each.state == State::held; });
}

std::vector<StatedOrder::State> StatedOrder::states() const {
  std::vector<State> states;
  for (const Step& each : steps_) states.push_back(each.state);
  return states;
}

}  // namespace heddle

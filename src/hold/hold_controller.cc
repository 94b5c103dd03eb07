#include "hold/hold_controller.h"

#include <algorithm>
#include <utility>

namespace heddle {

HoldController::HoldController(HoldPlan plan)
    : plan_(std::move(plan)), meetings_(plan_.meetings), order_(plan_.order) {}

void HoldController::begin(UnitHolder& holder, EventLoop& loop) {
  holder_ = &holder;
  loop_ = &loop;
}

void HoldController::arrived(const HeldUnit& unit) {
  const auto end = std::chrono::steady_clock::now() + plan_.bound;
  const bool is_kept_by_order = order_.holds(unit, end);
  if (!meetings_.holds(unit, end) && !is_kept_by_order) {
    loop_->call_soon([this, connection = unit.connection.number, ordinal = unit.ordinal] {
      holder_->permit(connection, ordinal);
    });
  }
  release();
}

void HoldController::ended(const HeldUnit& unit, HeldEnd how) {
  meetings_.ended(unit, how);
  order_.ended(unit, how);
  release();
}

void HoldController::tell_blocked(BlockedBackends waits) {
  loop_->post([this, waits = std::move(waits)] {
    meetings_.blocked(waits);
    order_.blocked(waits);
    release();
  });
}

// What has been released goes, once whoever told of it has come to an end.
void HoldController::release() {
  auto released = meetings_.take_released();
  for (auto& each : order_.take_released()) released.push_back(each);
  if (!released.empty()) {
    loop_->call_soon([this, released = std::move(released)] {
      for (const auto& [connection, ordinal] : released) holder_->permit(connection, ordinal);
    });
  }
  set_timer();
  const bool is_wanted = meetings_.is_waiting() || order_.is_waiting();
  if (std::exchange(is_wanted_, is_wanted) != is_wanted && want_) want_(is_wanted);
}

void HoldController::set_timer() {
  if (timer_) loop_->cancel(*std::exchange(timer_, std::nullopt));
  const auto end = std::min(meetings_.next_end(), order_.next_end());
  if (end == Meetings::Clock::time_point::max()) return;
  timer_ = loop_->call_at(end, [this] {
    timer_.reset();
    const auto now = std::chrono::steady_clock::now();
    meetings_.time_is(now);
    order_.time_is(now);
    release();
  });
}

}  // namespace heddle

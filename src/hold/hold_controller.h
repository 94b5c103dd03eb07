// The controller of `heddle hold`: meetings, and one stated order.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hold/meetings.h"
#include "hold/stated_order.h"
#include "proxy/controller.h"

namespace heddle {

struct HoldPlan {
  std::vector<MeetingPlan> meetings = {};
  std::vector<OrderedStatement> order = {};
  std::chrono::milliseconds bound{5000};  // for how long a statement is held at most
};

class HoldController : public ProxyController {
 public:
  explicit HoldController(HoldPlan plan);

  // Who is told whether somebody wants to know who waits in the database. REQUIRES: set before the
  // proxies start.
  void on_want(std::function<void(bool)> want) { want_ = std::move(want); }
  // Who waits there now. Any thread.
  void tell_blocked(BlockedBackends waits);

  void begin(UnitHolder& holder, EventLoop& loop) override;
  void arrived(const HeldUnit& unit) override;
  void ended(const HeldUnit& unit, HeldEnd how) override;

  // For the thread of the proxies, or when they have ended.
  const Meetings& meetings() const { return meetings_; }
  const StatedOrder& order() const { return order_; }
  const HoldPlan& plan() const { return plan_; }

 private:
  void release();
  void set_timer();

  HoldPlan plan_;
  Meetings meetings_;
  StatedOrder order_;
  std::function<void(bool)> want_;
  UnitHolder* holder_ = nullptr;
  EventLoop* loop_ = nullptr;
  std::optional<std::uint64_t> timer_;
  bool is_wanted_ = false;
};

}  // namespace heddle

// The controller that lets units go in the order in which they arrived, each through its queue:
// with it a system behaves as without one, and everything that holding does to a client is done.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "proxy/controller.h"

namespace heddle {

class FirstComeController : public ProxyController {
 public:
  void begin(UnitHolder& holder, EventLoop& loop) override;
  void arrived(const HeldUnit& unit) override;
  void ended(const HeldUnit& /*unit*/, HeldEnd /*how*/) override {}

 private:
  void let_go();

  UnitHolder* holder_ = nullptr;
  EventLoop* loop_ = nullptr;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> waiting_;
};

}  // namespace heddle

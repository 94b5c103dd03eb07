// The controller that lets requests in one at a time: further ones wait at the outer edges until
// somebody says that the system is at rest. Everything within the system goes at once.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/trace.h"
#include "proxy/controller.h"

namespace heddle {

class SerialController : public ProxyController {
 public:
  explicit SerialController(std::vector<TraceEdge> edges) : edges_(std::move(edges)) {}

  void begin(UnitHolder& holder, EventLoop& loop) override;
  void arrived(const HeldUnit& unit) override;
  void ended(const HeldUnit& unit, HeldEnd how) override;

  // For the thread of the proxies.

  // Whether a request waits, and none that was let in is open.
  bool is_due() const { return !waiting_.empty() && !open_; }
  void let_next();

 private:
  using Name = std::pair<std::uint64_t, std::uint64_t>;  // the connection and the ordinal

  std::vector<TraceEdge> edges_;
  UnitHolder* holder_ = nullptr;
  EventLoop* loop_ = nullptr;
  std::deque<Name> waiting_;
  std::optional<Name> open_;
};

}  // namespace heddle

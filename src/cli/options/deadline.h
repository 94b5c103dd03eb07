// When the time that --timeout gives a command is over: all that it does together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "cli/options/options.h"

namespace heddle {

class CommandDeadline {
 public:
  explicit CommandDeadline(const Arguments& arguments) {
    if (!arguments.has("--timeout")) return;
    at_ = Clock::now() + std::chrono::milliseconds(arguments.duration_ms("--timeout"));
  }

  // Zero, not none, when it is over: what comes too late says which bound it hit.
  std::optional<std::uint32_t> left_ms() const {
    if (!at_) return std::nullopt;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*at_ - Clock::now());
    return static_cast<std::uint32_t>(std::max<std::int64_t>(left.count(), 0));
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> at_;
};

}  // namespace heddle

// How much may still be tried.
#pragma once

#include <chrono>
#include <cstdint>

namespace heddle::sched::runtime {

class Budget {
 public:
  Budget(std::uint64_t executions, double seconds)
      : executions_(executions),
        until_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(seconds))) {}

  bool is_left() {
    if (used_ >= executions_) return false;
    // Reading the clock costs as much as a tenth of a short execution.
    if (used_ % kBetweenReadings == 0) out_of_time_ = Clock::now() >= until_;
    return !out_of_time_;
  }
  void use() { ++used_; }
  std::uint64_t used() const { return used_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kBetweenReadings = 16;

  std::uint64_t executions_;
  Clock::time_point until_;
  std::uint64_t used_ = 0;
  bool out_of_time_ = false;
};

}  // namespace heddle::sched::runtime

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
    if (used_ >= next_reading_) {
      out_of_time_ = Clock::now() >= until_;
      next_reading_ = used_ + kBetweenReadings;
    }
    return !out_of_time_;
  }
  void use(std::uint64_t executions = 1) { used_ += executions; }
  std::uint64_t left() const { return used_ < executions_ ? executions_ - used_ : 0; }
  // When time is over, as `now_ns` tells it.
  std::int64_t until_ns() const { return to_ns(until_); }
  static std::int64_t now_ns() { return to_ns(Clock::now()); }
  std::uint64_t used() const { return used_; }

 private:
  using Clock = std::chrono::steady_clock;

  static std::int64_t to_ns(Clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  }
  static constexpr std::uint64_t kBetweenReadings = 16;

  std::uint64_t executions_;
  Clock::time_point until_;
  std::uint64_t used_ = 0;
  std::uint64_t next_reading_ = 0;
  bool out_of_time_ = false;
};

}  // namespace heddle::sched::runtime

// How much is spent on explaining a failure. It is counted, so that what is told is the same each
// time; only where executions are very slow, the time is over before.
#pragma once

#include <chrono>
#include <cstdint>

#include "sched/runtime/event.h"

namespace heddle::sched::runtime {

class Effort {
 public:
  using Clock = std::chrono::steady_clock;

  Effort(std::uint64_t executions, std::uint64_t operations, Clock::time_point until)
      : executions_(executions), operations_(operations), until_(until) {}

  bool is_left() const { return executions_ > 0 && operations_ > 0 && Clock::now() < until_; }
  void use(const Execution& execution) {
    if (executions_ > 0) --executions_;
    const std::uint64_t made = execution.operations + 1;
    operations_ = operations_ > made ? operations_ - made : 0;
  }

 private:
  std::uint64_t executions_;
  std::uint64_t operations_;
  Clock::time_point until_;
};

}  // namespace heddle::sched::runtime

// How much is spent on explaining a failure. It is counted and not timed, so that what is told is
// the same each time.
#pragma once

#include <cstdint>

#include "sched/runtime/event.h"

namespace heddle::sched::runtime {

class Effort {
 public:
  Effort(std::uint64_t executions, std::uint64_t operations)
      : executions_(executions), operations_(operations) {}

  bool is_left() const { return executions_ > 0 && operations_ > 0; }
  void use(const Execution& execution) {
    if (executions_ > 0) --executions_;
    const std::uint64_t made = execution.operations + 1;
    operations_ = operations_ > made ? operations_ - made : 0;
  }

 private:
  std::uint64_t executions_;
  std::uint64_t operations_;
};

}  // namespace heddle::sched::runtime

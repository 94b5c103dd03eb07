// Executes events in a stated order, as far as that can be.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sched/runtime/event.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

class InOrder final : public Strategy {
 public:
  // Whoever's event comes first in the order and has not happened goes on, if it can; where
  // nobody's can, a task goes on while it can. What is chosen among several is as in `schedule`.
  InOrder(std::vector<const Event*> order, const Schedule& schedule);

  bool begin_execution() override;
  TaskId pick(const Decision& decision) override;
  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace place) override;
  void end_execution(std::size_t /*steps*/, bool /*grown*/) override {}
  std::string coverage() const override { return "one order"; }

 private:
  std::vector<const Event*> order_;
  Replay choices_;
  std::size_t next_ = 0;  // what stands before it has happened
};

}  // namespace heddle::sched::runtime

// What a strategy was asked in one process, to be asked again in another.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

// A decision or a choice.
struct LoggedDecision {
  TaskSet enabled = 0;
  TaskSet timed = 0;
  TaskSet reluctant = 0;
  TaskPlace place;
  TaskId current = 0;
  bool fault = false;
  std::uint32_t count = 0;  // of what was chosen from; 0: a decision

  // Asks the strategy once more.
  void show(Strategy& strategy) const;
};

// Asks another strategy, and keeps the questions.
class LoggedStrategy final : public Strategy {
 public:
  explicit LoggedStrategy(Strategy& asked) : asked_(asked) {}

  bool begin_execution() override { return asked_.begin_execution(); }
  TaskId pick(const Decision& decision) override;
  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace place) override;
  void end_execution(std::size_t /*steps*/, bool /*grown*/) override {}
  std::string coverage() const override { return asked_.coverage(); }

  const std::vector<LoggedDecision>& decisions() const { return decisions_; }

 private:
  Strategy& asked_;
  std::vector<LoggedDecision> decisions_;
};

}  // namespace heddle::sched::runtime

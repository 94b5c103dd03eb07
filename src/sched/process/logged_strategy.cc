#include "sched/process/logged_strategy.h"

namespace heddle::sched::runtime {

void LoggedDecision::show(Strategy& strategy) const {
  if (count > 0) {
    strategy.choose(count, fault, place);
    return;
  }
  // Whoever looks back does not look at what tasks are about to do.
  static const std::array<PendingOperation, kMostTasks> unknown{};
  strategy.pick({.enabled = enabled,
                 .timed = timed,
                 .reluctant = reluctant,
                 .current = current,
                 .place = place,
                 .pending = &unknown});
}

TaskId LoggedStrategy::pick(const Decision& decision) {
  decisions_.push_back({.enabled = decision.enabled,
                        .timed = decision.timed,
                        .reluctant = decision.reluctant,
                        .place = decision.place,
                        .current = decision.current});
  return asked_.pick(decision);
}

std::uint32_t LoggedStrategy::choose(std::uint32_t count, bool fault, TaskPlace place) {
  decisions_.push_back({.place = place, .fault = fault, .count = count});
  return asked_.choose(count, fault, place);
}

}  // namespace heddle::sched::runtime

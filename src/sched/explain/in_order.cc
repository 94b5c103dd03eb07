#include "sched/explain/in_order.h"

#include <utility>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

// REQUIRES: nobody is in the middle of an operation, as at a decision.
bool has_happened(const Event& event) {
  const Task& task = engine().task(event.place.task);
  return task.in_use && (task.ended || task.operations > event.place.operation);
}

}  // namespace

InOrder::InOrder(std::vector<const Event*> order, const Schedule& schedule)
    : order_(std::move(order)), choices_(schedule) {}

bool InOrder::begin_execution() {
  next_ = 0;
  return choices_.begin_execution();
}

TaskId InOrder::pick(const Decision& decision) {
  while (next_ < order_.size() && has_happened(*order_[next_])) ++next_;
  const TaskSet at_once = decision.enabled | decision.reluctant;
  for (std::size_t i = next_; i < order_.size(); ++i) {
    const Event& event = *order_[i];
    const TaskSet able = event.timed_out ? at_once | decision.timed : at_once;
    if ((able & only(event.place.task)) != 0 && !has_happened(event)) return event.place.task;
  }
  return decision.by_default();
}

std::uint32_t InOrder::choose(std::uint32_t count, bool fault, TaskPlace place) {
  return choices_.choose(count, fault, place);
}

}  // namespace heddle::sched::runtime

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

bool Replay::begin_execution() {
  at_ = 0;
  fits_ = true;
  return true;
}

const Choice* Replay::take(TaskPlace place, Choice::Kind kind) {
  const Choice* choice = next();
  if (choice == nullptr || choice->place != place || choice->kind != kind) return nullptr;
  ++at_;
  return choice;
}

TaskId Replay::pick(const Decision& decision) {
  const Choice* choice = take(decision.place, Choice::Kind::task);
  if (choice == nullptr) return decision.by_default();
  const TaskSet able = decision.enabled | decision.by_exception();
  if (choice->value < kMostTasks && (able & only(static_cast<TaskId>(choice->value))) != 0) {
    return static_cast<TaskId>(choice->value);
  }
  fits_ = false;
  return decision.by_default();
}

std::uint32_t Replay::choose(std::uint32_t count, bool /*fault*/, TaskPlace place) {
  const Choice* choice = take(place, Choice::Kind::data);
  if (choice == nullptr) return 0;
  if (choice->value < count) return choice->value;
  fits_ = false;
  return 0;
}

void Replay::end_execution(std::size_t /*steps*/, bool /*grown*/) {}

std::string Replay::coverage() const { return "one schedule"; }

}  // namespace heddle::sched::runtime

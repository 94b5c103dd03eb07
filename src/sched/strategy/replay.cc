#include <algorithm>

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

bool is_before(const Choice& choice, std::uint32_t operation) {
  return choice.place.operation < operation;
}

}  // namespace

Replay::Replay(const Schedule& schedule) : count_(schedule.choices.size()) {
  for (const Choice& choice : schedule.choices) {
    if (choice.place.task < kMostTasks) by_task_[choice.place.task].push_back(choice);
  }
  for (std::vector<Choice>& choices : by_task_) {
    std::stable_sort(choices.begin(), choices.end(), [](const Choice& one, const Choice& other) {
      return one.place.operation < other.place.operation;
    });
  }
}

bool Replay::begin_execution() {
  met_ = 0;
  return true;
}

const Choice* Replay::take(TaskPlace place, Choice::Kind kind) {
  const std::vector<Choice>& choices = by_task_[place.task];
  const auto found = std::lower_bound(choices.begin(), choices.end(), place.operation, is_before);
  if (found == choices.end() || found->place != place || found->kind != kind) return nullptr;
  return &*found;
}

TaskId Replay::pick(const Decision& decision) {
  const Choice* choice = take(decision.place, Choice::Kind::task);
  if (choice == nullptr || choice->value >= kMostTasks) return decision.by_default();
  const auto wanted = static_cast<TaskId>(choice->value);
  if (((decision.enabled | decision.by_exception()) & only(wanted)) == 0) {
    return decision.by_default();
  }
  ++met_;
  return wanted;
}

std::uint32_t Replay::choose(std::uint32_t count, bool /*fault*/, TaskPlace place) {
  const Choice* choice = take(place, Choice::Kind::data);
  if (choice == nullptr || choice->value >= count) return 0;
  ++met_;
  return choice->value;
}

std::uint32_t Replay::next_place(TaskId task, std::uint32_t operation) const {
  const std::vector<Choice>& choices = by_task_[task];
  const auto found = std::lower_bound(choices.begin(), choices.end(), operation + 1, is_before);
  return found == choices.end() ? 0 : found->place.operation;
}

void Replay::end_execution(std::size_t /*steps*/, bool /*grown*/) {}

std::string Replay::coverage() const { return "one schedule"; }

}  // namespace heddle::sched::runtime

#include <algorithm>

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

bool is_before(const Choice& choice, std::uint32_t operation) {
  return choice.place.operation < operation;
}

}  // namespace

Replay::Replay(const Schedule& schedule) : round_(schedule.round), count_(schedule.choices.size()) {
  const std::size_t before = count_ - std::min<std::size_t>(count_, round_.choices);
  for (std::size_t i = 0; i < schedule.choices.size(); ++i) {
    const Choice& choice = schedule.choices[i];
    if (choice.place.task >= kMostTasks) {
      --count_;
      continue;
    }
    by_task_[choice.place.task].push_back(choice);
    if (has_round()) order_.push_back(choice.place);
    if (i >= before) ++repeated_[choice.place.task];
  }
  for (std::vector<Choice>& choices : by_task_) {
    std::stable_sort(choices.begin(), choices.end(), [](const Choice& one, const Choice& other) {
      return one.place.operation < other.place.operation;
    });
  }
}

bool Replay::begin_execution() {
  met_ = 0;
  is_off_ = false;
  able_ = gone_on_ = 0;
  ended_ = 0;
  return true;
}

// In later rounds a place counts as where it was in the first.
const Choice* Replay::take(TaskPlace place, Choice::Kind kind) const {
  const std::vector<Choice>& choices = by_task_[place.task];
  auto first = choices.begin();
  std::uint32_t operation = place.operation;
  const std::uint32_t in_round = operations_in_round(place.task);
  if (repeated_[place.task] > 0 && in_round > 0 && operation > choices.back().place.operation) {
    const std::uint32_t over = operation - choices.back().place.operation;
    operation -= (over + in_round - 1) / in_round * in_round;
    first = choices.end() - static_cast<std::ptrdiff_t>(repeated_[place.task]);
  }
  const auto found = std::lower_bound(first, choices.end(), operation, is_before);
  const bool is_there =
      found != choices.end() && found->place.operation == operation && found->kind == kind;
  return is_there ? &*found : nullptr;
}

// Schedules that are tried in place of one with a fair round need not have one.
void Replay::end_round() {
  if ((met_ - count_) % round_.choices != 0) return;
  if (met_ > count_ && (able_ & ~gone_on_) != 0) is_off_ = true;
  able_ = gone_on_ = 0;
  ended_ = met_;
}

TaskId Replay::pick(const Decision& decision) {
  const TaskId task = task_for(decision);
  if (has_round() && met_ >= count_) {
    able_ |= decision.enabled & ~decision.reluctant;
    gone_on_ |= only(decision.current) | only(task);
    if (met_ > ended_) end_round();
  }
  return task;
}

TaskId Replay::task_for(const Decision& decision) {
  const Choice* choice = take(decision.place, Choice::Kind::task);
  if (choice == nullptr) return decision.by_default();
  const TaskSet can = decision.enabled | decision.by_exception();
  if (choice->value >= kMostTasks || (can & only(static_cast<TaskId>(choice->value))) == 0) {
    is_off_ = true;
    return decision.by_default();
  }
  // A round that begins before what stands in front of it is another one.
  if (met_ < count_ && has_round() && order_[met_] != decision.place) is_off_ = true;
  ++met_;
  return static_cast<TaskId>(choice->value);
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
  if (found != choices.end()) return found->place.operation;
  const std::uint32_t in_round = operations_in_round(task);
  if (repeated_[task] == 0 || in_round == 0) return 0;
  const Choice& first = *(choices.end() - static_cast<std::ptrdiff_t>(repeated_[task]));
  const std::uint32_t gone = (operation - first.place.operation) / in_round * in_round;
  for (auto next = choices.end() - static_cast<std::ptrdiff_t>(repeated_[task]);
       next != choices.end(); ++next) {
    if (next->place.operation + gone > operation) return next->place.operation + gone;
  }
  return first.place.operation + gone + in_round;
}

Repeated Replay::repeated() const {
  if (!has_round() || is_off_ || met_ < count_) return {};
  return {.round = &round_, .kept = count_, .times = (met_ - count_) / round_.choices};
}

void Replay::end_execution(std::size_t /*steps*/, bool /*grown*/) {}

std::string Replay::coverage() const { return "one schedule"; }

}  // namespace heddle::sched::runtime

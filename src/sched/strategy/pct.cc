#include <algorithm>
#include <vector>

#include "sched/strategy/random_numbers.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

class Pct final : public Strategy {
 public:
  Pct(std::uint64_t seed, std::uint32_t depth) : seed_(seed), depth_(depth) {}

  bool begin_execution() override {
    random_ = RandomNumbers::of_execution(seed_, number_++);
    priorities_.fill(0);
    step_ = 0;
    falls_.clear();
    const auto steps = static_cast<std::uint32_t>(std::max<std::size_t>(most_steps_, 1));
    for (std::uint32_t i = 1; i < depth_; ++i) falls_.push_back(random_.below(steps) + 1);
    return true;
  }
  void skip_to(std::uint64_t number) override { number_ = number; }
  bool is_numbered() const override { return true; }

  TaskId pick(const Decision& decision) override {
    ++step_;
    const TaskSet able = decision.enabled != 0 ? decision.enabled : decision.timed;
    TaskId best = highest_of(able | exceptions(decision));
    // The task that would make this step falls behind all others.
    for (std::size_t i = 0; i < falls_.size(); ++i) {
      if (falls_[i] != step_) continue;
      priorities_[best] = kLowest + falls_.size() - i;
      best = highest_of(able);
    }
    return best;
  }

  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace /*place*/) override {
    return fault && random_.below(kSeldom) != 0 ? 0 : random_.below(count);
  }

  void end_execution(std::size_t steps, bool /*grown*/) override {
    seen_steps_ = std::max(seen_steps_, steps);
    if (!is_taught_) most_steps_ = seen_steps_;
  }

  std::uint64_t learned() const override { return seen_steps_; }
  void learn(std::uint64_t steps) override {
    is_taught_ = true;
    most_steps_ = seen_steps_ = std::max<std::size_t>(most_steps_, steps);
  }

  std::string coverage() const override {
    return std::to_string(number_) + " executions of PCT with depth " + std::to_string(depth_);
  }

 private:
  // Priorities of tasks that fell; all others are above, and 0 is a task that has none yet.
  static constexpr std::uint64_t kLowest = 1;
  static constexpr std::uint64_t kDrawn = std::uint64_t{1} << 32;

  TaskId highest_of(TaskSet tasks) {
    TaskId best = first_of(tasks);
    for (TaskSet left = tasks; left != 0; left &= left - 1) {
      const TaskId task = first_of(left);
      if (priorities_[task] == 0) priorities_[task] = kDrawn + (random_.next() >> 1);
      if (priorities_[task] > priorities_[best]) best = task;
    }
    return best;
  }

  TaskSet exceptions(const Decision& decision) {
    const TaskSet some = decision.by_exception();
    return some != 0 && random_.below(kSeldom) == 0 ? some : 0;
  }

  static constexpr std::uint32_t kSeldom = 8;

  std::uint64_t seed_;
  std::uint32_t depth_;
  std::uint64_t number_ = 0;  // of the next execution
  RandomNumbers random_{0};
  std::array<std::uint64_t, kMostTasks> priorities_{};
  std::vector<std::size_t> falls_;  // the steps at which a task falls
  std::size_t step_ = 0;
  std::size_t most_steps_ = 0;  // of an execution, as far as it is taken into account
  std::size_t seen_steps_ = 0;
  bool is_taught_ = false;  // what was seen counts only when somebody says so
};

}  // namespace

std::unique_ptr<Strategy> pct(std::uint64_t seed, std::uint32_t depth) {
  return std::make_unique<Pct>(seed, depth);
}

}  // namespace heddle::sched::runtime

#include "sched/strategy/random_numbers.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

class Pos final : public Strategy {
 public:
  explicit Pos(std::uint64_t seed) : seed_(seed) {}

  bool begin_execution() override {
    random_ = RandomNumbers::of_execution(seed_, number_++);
    priorities_.fill(0);
    return true;
  }
  void skip_to(std::uint64_t number) override { number_ = number; }
  bool is_numbered() const override { return true; }

  TaskId pick(const Decision& decision) override {
    TaskSet able = decision.enabled;
    if (able == 0) able = decision.timed;
    if (decision.by_exception() != 0 && random_.below(kSeldom) == 0)
      able |= decision.by_exception();
    TaskId best = first_of(able);
    for (TaskSet left = able; left != 0; left &= left - 1) {
      const TaskId task = first_of(left);
      if (priorities_[task] == 0) priorities_[task] = random_.next() | 1;
      if (priorities_[task] > priorities_[best]) best = task;
    }
    // Whoever races with the operation that is made now, and the next one of its task, draw anew.
    const PendingOperation made = (*decision.pending)[best];
    for (TaskSet left = decision.enabled; left != 0; left &= left - 1) {
      const TaskId task = first_of(left);
      if ((*decision.pending)[task].depends_on(made)) priorities_[task] = 0;
    }
    priorities_[best] = 0;
    return best;
  }

  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace /*place*/) override {
    return fault && random_.below(kSeldom) != 0 ? 0 : random_.below(count);
  }
  void end_execution(std::size_t /*steps*/, bool /*grown*/) override {}
  std::string coverage() const override {
    return std::to_string(number_) + " executions sampled by partial order";
  }

 private:
  static constexpr std::uint32_t kSeldom = 8;

  std::uint64_t seed_;
  std::uint64_t number_ = 0;  // of the next execution
  RandomNumbers random_{0};
  std::array<std::uint64_t, kMostTasks> priorities_{};  // 0: not drawn yet
};

}  // namespace

std::unique_ptr<Strategy> pos(std::uint64_t seed) { return std::make_unique<Pos>(seed); }

}  // namespace heddle::sched::runtime

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

class Sequential final : public Strategy {
 public:
  bool begin_execution() override { return executions_ == 0; }
  TaskId pick(const Decision& decision) override { return decision.by_default(); }
  std::uint32_t choose(std::uint32_t /*count*/, bool /*fault*/, TaskPlace /*place*/) override {
    return 0;
  }
  void end_execution(std::size_t /*steps*/, bool /*grown*/) override { ++executions_; }
  std::string coverage() const override { return "the sequential execution"; }

 private:
  std::uint64_t executions_ = 0;
};

class RoundRobin final : public Strategy {
 public:
  bool begin_execution() override { return executions_ == 0; }
  TaskId pick(const Decision& decision) override {
    const TaskSet able = decision.enabled != 0 ? decision.enabled : decision.timed;
    const TaskSet later = able & ~(only(decision.current) | (only(decision.current) - 1));
    return first_of(later != 0 ? later : able);
  }
  std::uint32_t choose(std::uint32_t /*count*/, bool /*fault*/, TaskPlace /*place*/) override {
    return 0;
  }
  void end_execution(std::size_t /*steps*/, bool grown) override {
    if (!grown) ++executions_;
  }
  std::string coverage() const override { return "each task one step in turn"; }

 private:
  std::uint64_t executions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> sequential() { return std::make_unique<Sequential>(); }
std::unique_ptr<Strategy> round_robin() { return std::make_unique<RoundRobin>(); }

}  // namespace heddle::sched::runtime

#include "sched/strategy/random_numbers.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

class RandomWalk final : public Strategy {
 public:
  explicit RandomWalk(std::uint64_t seed) : seed_(seed) {}

  bool begin_execution() override {
    random_ = RandomNumbers::of_execution(seed_, number_++);
    return true;
  }
  void skip_to(std::uint64_t number) override { number_ = number; }
  bool is_numbered() const override { return true; }

  TaskId pick(const Decision& decision) override {
    TaskSet able = decision.enabled;
    // A time seldom comes while others can go on: else no limit of time would ever be kept.
    if (able == 0) able = decision.timed;
    if (decision.by_exception() != 0 && random_.below(kSeldom) == 0)
      able |= decision.by_exception();
    return nth_of(able, random_.below(static_cast<std::uint32_t>(std::popcount(able))));
  }

  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace /*place*/) override {
    return fault && random_.below(kSeldom) != 0 ? 0 : random_.below(count);
  }

  void end_execution(std::size_t /*steps*/, bool /*grown*/) override {}

  std::string coverage() const override { return std::to_string(number_) + " random walks"; }

 private:
  static constexpr std::uint32_t kSeldom = 8;

  std::uint64_t seed_;
  std::uint64_t number_ = 0;  // of the next execution
  RandomNumbers random_{0};
};

}  // namespace

std::unique_ptr<Strategy> random_walk(std::uint64_t seed) {
  return std::make_unique<RandomWalk>(seed);
}

}  // namespace heddle::sched::runtime

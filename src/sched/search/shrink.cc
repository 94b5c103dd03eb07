#include "sched/search/shrink.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::sched::runtime {

namespace {

class Shrinking {
 public:
  Shrinking(Test& test, Execution failed) : test_(test), best_(std::move(failed)) {}

  Execution run() {
    std::size_t pieces = 2;
    while (!best_.schedule.choices.empty() && executions_ < most()) {
      const std::size_t count = best_.schedule.choices.size();
      pieces = std::min(pieces, count);
      if (leave_out_one_of(pieces)) {
        pieces = std::max<std::size_t>(pieces - 1, 2);
      } else if (pieces == count) {
        break;
      } else {
        pieces *= 2;
      }
    }
    look_for_fewer();
    return std::move(best_);
  }

  std::uint64_t executions() const { return executions_; }

 private:
  // What has a process of its own takes some hundred times as long.
  std::uint64_t most() const {
    // Where executions are so slow, as those that wait for what is outside, it is as short as it
    // is.
    constexpr std::chrono::seconds kLongest(20);
    if (Clock::now() - begin_ > kLongest) return 0;
    if (has_round()) return 60;
    return test_.is_isolated() ? 2'000 : 20'000;
  }
  // Then each execution has as many steps as it may have, and what fails was chosen among many.
  bool has_round() const { return best_.schedule.round.starving != 0; }

  bool leave_out_one_of(std::size_t pieces) {
    const std::vector<Choice> choices = best_.schedule.choices;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t first = choices.size() * piece / pieces;
      const std::size_t last = choices.size() * (piece + 1) / pieces;
      // What is repeated stays.
      if (last + best_.schedule.round.choices > choices.size()) break;
      Schedule fewer{.choices = {}, .round = best_.schedule.round};
      fewer.choices.assign(choices.begin(), choices.begin() + static_cast<std::ptrdiff_t>(first));
      fewer.choices.insert(fewer.choices.end(), choices.begin() + static_cast<std::ptrdiff_t>(last),
                           choices.end());
      if (is_still_failing(fewer)) return true;
      if (executions_ >= most()) break;
    }
    return false;
  }

  // No choice can be left out, but others may need fewer.
  void look_for_fewer() {
    const std::uint64_t tries = most() / 10;
    if (best_.schedule.choices.size() < 2 || has_round()) return;
    const auto strategy =
        depth_first(static_cast<std::uint32_t>(best_.schedule.choices.size() - 1));
    for (std::uint64_t i = 0; i < tries && most() > 0 && strategy->begin_execution(); ++i) {
      ++executions_;
      const Execution& execution = test_.execute(*strategy);
      if (!fails_alike(execution.failure, best_.failure)) continue;
      if (execution.schedule.choices.size() >= best_.schedule.choices.size()) continue;
      best_ = execution;
      return;
    }
  }

  // What the execution really did is the schedule: choices that were not met are not in it.
  bool is_still_failing(const Schedule& schedule) {
    ++executions_;
    Execution execution = test_.replay(schedule, false);
    if (!fails_alike(execution.failure, best_.failure)) return false;
    if (execution.schedule.choices.size() >= best_.schedule.choices.size()) return false;
    best_ = std::move(execution);
    return true;
  }

  using Clock = std::chrono::steady_clock;

  Test& test_;
  Execution best_;
  Clock::time_point begin_ = Clock::now();
  std::uint64_t executions_ = 0;
};

}  // namespace

bool fails_alike(const Failure& one, const Failure& other) {
  if (one.kind != other.kind) return false;
  const bool told = one.kind == FailureKind::assertion || one.kind == FailureKind::exception ||
                    one.kind == FailureKind::invariant;
  return !told || one.what == other.what;
}

Execution shrink(Test& test, const Execution& failed, std::uint64_t& executions) {
  Shrinking shrinking(test, failed);
  Execution shrunk = shrinking.run();
  executions += shrinking.executions();
  return shrunk;
}

}  // namespace heddle::sched::runtime

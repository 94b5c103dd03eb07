// Each execution follows a list of departures from the default, takes the default from there on,
// and notes at each decision behind the last departure what else could have been done: a list of
// its own that is longer by one. So each schedule is executed once. Lists that cost a preemption
// more wait until all that cost less are done.
#include <algorithm>
#include <string>
#include <vector>

#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::uint32_t kNoDeparture = UINT32_MAX;

// The last departure of a list; the others are its parents'.
struct Departure {
  std::uint32_t parent = kNoDeparture;
  std::uint32_t decision = 0;  // the how manieth of the execution
  std::uint32_t value = 0;     // a task, or what was chosen
};

class DepthFirst final : public Strategy {
 public:
  explicit DepthFirst(std::uint32_t preemptions) : most_preemptions_(preemptions) { restart(); }

  bool begin_execution() override {
    while (now_.empty()) {
      if (next_.empty()) return false;
      ++preemptions_;
      now_.swap(next_);
      std::reverse(now_.begin(), now_.end());
    }
    const std::uint32_t last = now_.back();
    now_.pop_back();
    path_.clear();
    for (std::uint32_t at = last; at != kNoDeparture; at = departures_[at].parent) {
      path_.push_back(departures_[at]);
    }
    last_ = last;
    decision_ = 0;
    return true;
  }

  TaskId pick(const Decision& decision) override {
    const std::uint32_t index = decision_++;
    if (const Departure* departure = departure_at(index)) {
      return static_cast<TaskId>(departure->value);
    }
    const TaskId first = decision.by_default();
    if (!path_.empty()) return first;
    const bool preempts = decision.current_can_go_on();
    const TaskSet at_once = decision.enabled != 0 ? decision.enabled : decision.timed;
    for (TaskSet left = (decision.enabled | decision.by_exception()) & ~only(first); left != 0;
         left &= left - 1) {
      const TaskId other = first_of(left);
      const bool early = (at_once & only(other)) == 0;
      note(index, other, preempts || early);
    }
    return first;
  }

  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace /*place*/) override {
    const std::uint32_t index = decision_++;
    if (const Departure* departure = departure_at(index)) return departure->value;
    if (!path_.empty()) return 0;
    for (std::uint32_t value = 1; value < count; ++value) note(index, value, fault);
    return 0;
  }

  void end_execution(std::size_t /*steps*/, bool grown) override {
    ++executions_;
    // What comes from outside came at another time than before.
    if (!path_.empty()) strayed_ = true;
    if (grown) restart();
  }

  bool looks_back() const override { return true; }

  std::string coverage() const override {
    if (strayed_) return std::to_string(executions_) + " interleavings";
    const bool all = now_.empty() && next_.empty();
    const std::uint32_t done = all ? preemptions_ : preemptions_ - 1;
    if (all && !left_out_) return "all interleavings";
    if (!all && preemptions_ == 0) return std::to_string(executions_) + " interleavings";
    return "all interleavings with at most " + std::to_string(done) +
           (done == 1 ? " preemption" : " preemptions");
  }

 private:
  void restart() {
    departures_.clear();
    next_.clear();
    now_ = {kNoDeparture};
    preemptions_ = 0;
    left_out_ = strayed_ = false;
  }

  // The departures of the path are met in order; what was met is taken off.
  const Departure* departure_at(std::uint32_t decision) {
    if (path_.empty() || path_.back().decision != decision) return nullptr;
    met_ = path_.back();
    path_.pop_back();
    return &met_;
  }

  void note(std::uint32_t decision, std::uint32_t value, bool costs) {
    if (costs && preemptions_ == most_preemptions_) {
      left_out_ = true;
      return;
    }
    departures_.push_back({last_, decision, value});
    (costs ? next_ : now_).push_back(static_cast<std::uint32_t>(departures_.size() - 1));
  }

  std::uint32_t most_preemptions_;
  std::uint32_t preemptions_ = 0;  // of the lists in now_
  bool left_out_ = false;          // lists with more preemptions than most_preemptions_
  bool strayed_ = false;           // an execution did not come to a departure that it was to make
  std::vector<Departure> departures_;
  std::vector<std::uint32_t> now_;   // lists to execute; into departures_
  std::vector<std::uint32_t> next_;  // those that cost one preemption more
  std::vector<Departure> path_;      // of this execution, the next one last
  Departure met_;
  std::uint32_t last_ = kNoDeparture;  // the list that is executed
  std::uint32_t decision_ = 0;
  std::uint64_t executions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> depth_first(std::uint32_t preemptions) {
  return std::make_unique<DepthFirst>(preemptions);
}

}  // namespace heddle::sched::runtime

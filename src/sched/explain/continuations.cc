// If all continuations of some events fail, so do those of more of them: the earliest such point is
// found by halving. Points are decisions: what happens between two of them is forced. The search
// behind a point is depth first, so that it is known when no continuation is left; a limit on what
// it tries makes the answer one of what was tried.
#include "sched/explain/continuations.h"

#include <memory>
#include <vector>

namespace heddle::sched::runtime {

namespace {

// The schedule up to the decision for a place, and from there on whatever another strategy wants.
class Continuations final : public Strategy {
 public:
  // No place: from the beginning.
  Continuations(const Schedule& schedule, std::optional<TaskPlace> from)
      : from_(from), before_(schedule), behind_(depth_first(kMostTasks)) {}

  bool begin_execution() override {
    behind_now_ = !from_;
    return before_.begin_execution() && behind_->begin_execution();
  }
  TaskId pick(const Decision& decision) override {
    if (decision.place == from_) behind_now_ = true;
    return behind_now_ ? behind_->pick(decision) : before_.pick(decision);
  }
  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace place) override {
    return behind_now_ ? behind_->choose(count, fault, place) : before_.choose(count, fault, place);
  }
  void end_execution(std::size_t steps, bool grown) override {
    behind_->end_execution(steps, grown);
  }
  bool looks_back() const override { return true; }
  std::string coverage() const override { return behind_->coverage(); }

 private:
  std::optional<TaskPlace> from_;
  Replay before_;
  std::unique_ptr<Strategy> behind_;
  bool behind_now_ = false;
};

// A decision, and the first event behind it.
struct Turn {
  TaskPlace place;
  std::size_t event = 0;
};

std::vector<Turn> turns_of(const std::vector<Event>& events) {
  std::vector<Turn> turns;
  std::size_t decisions = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!events[i].step || events[i].decisions == decisions) continue;
    decisions = events[i].decisions;
    turns.push_back({events[i].decided, i});
  }
  return turns;
}

class PointSearch {
 public:
  PointSearch(Test& test, const Execution& failed, Effort::Clock::time_point until)
      : test_(test), failed_(failed), until_(until), turns_(turns_of(failed.recorded)) {}

  // None: the time was over before, and how far it came would be another time's news.
  std::optional<PointOfNoReturn> run() {
    PointOfNoReturn found = search();
    if (is_late_) return std::nullopt;
    return found;
  }

 private:
  PointOfNoReturn search() {
    // Before the turn `open` something passes, or that is not known; behind `closed` nothing does.
    if (turns_.empty() || fails_from(0)) return found_;
    std::size_t open = 0;
    std::size_t closed = turns_.size();
    while (closed - open > 1) {
      const std::size_t middle = open + (closed - open) / 2;
      (fails_from(middle) ? closed : open) = middle;
    }
    // Behind the last turn there is one way.
    if (closed == turns_.size())
      found_ = {.event = {}, .continuations = 1, .are_all = true, .passing = {}};
    found_.event = turns_[closed - 1].event;
    found_.passing = passing_;
    return found_;
  }

  // Whether all continuations fail of an execution that has made so many turns.
  bool fails_from(std::size_t turns) {
    const bool isolated = test_.is_isolated();
    Effort effort(isolated ? 50 : 1000, 500'000, until_);
    Continuations continuations(failed_.schedule,
                                turns == 0 ? std::nullopt : std::optional(turns_[turns].place));
    PointOfNoReturn point;
    for (;;) {
      if (!continuations.begin_execution()) {
        point.are_all = true;
        break;
      }
      if (!effort.is_left()) {
        is_late_ = Effort::Clock::now() >= until_;
        break;
      }
      const std::size_t shared = engine().shadow().shared_granules();
      const Execution& execution = test_.execute(continuations);
      if (!execution.failed()) {
        passing_ = execution.schedule;
        return false;
      }
      effort.use(execution);
      // What was not known to be shared makes the search begin again.
      const bool grown = engine().shadow().shared_granules() > shared;
      point.continuations = grown ? 0 : point.continuations + 1;
    }
    if (is_late_ || (!point.are_all && point.continuations == 0)) return false;
    found_ = point;
    return true;
  }

  Test& test_;
  const Execution& failed_;
  Effort::Clock::time_point until_;
  std::vector<Turn> turns_;
  bool is_late_ = false;
  std::optional<Schedule> passing_;  // one that goes the same way up to `open`
  PointOfNoReturn found_{
      .event = {}, .continuations = 1, .are_all = true, .passing = {}};  // the earliest so far
};

}  // namespace

std::optional<PointOfNoReturn> find_point_of_no_return(Test& test, const Execution& failed,
                                                       Effort::Clock::time_point until) {
  return PointSearch(test, failed, until).run();
}

}  // namespace heddle::sched::runtime

// Candidates are the failing execution with two conflicting events in the other order, as in
// dynamic partial-order reduction (Flanagan and Godefroid: Dynamic partial-order reduction for
// model checking software, POPL 2005): what happened before the first, then what does not depend on
// it, then the second, then all others in their order. A candidate that cannot be followed goes as
// near as it can, which is measured: how many conflicting pairs come in the other order, then how
// many events do not happen at all. What has one departure less is a candidate, too. This leaves
// out executions that pass only if several pairs are turned that have nothing to do with each
// other.
#include "sched/explain/nearest_pass.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "sched/explain/in_order.h"

namespace heddle::sched::runtime {

namespace {

// Of longer executions the first and the last steps are looked at.
constexpr std::size_t kMostSteps = 2000;

// What happens after what: an event's clock says how many events of each task it depends on.
class Dependences {
 public:
  // Of the steps, in their order.
  Dependences(const std::vector<Event>& events, const std::vector<Access>& accesses,
              const std::vector<std::size_t>& steps) {
    std::map<TaskId, Clock> tasks;
    for (std::size_t at = 0; at < steps.size(); ++at) {
      const Event& event = events[steps[at]];
      Clock& own = tasks[event.place.task];
      ++own[event.place.task];
      for (std::size_t earlier = 0; earlier < at; ++earlier) {
        const Access& one = accesses[steps[earlier]];
        const Access& other = accesses[steps[at]];
        if (conflict(one, other) || is_handed_on(one, other)) join(own, clocks_[steps[earlier]]);
      }
      const auto about = static_cast<TaskId>(event.object);
      if (event.kind == OperationKind::join) join(own, tasks[about]);
      clocks_[steps[at]] = own;
      if (event.kind == OperationKind::create) join(tasks[about], own);
    }
  }

  // `task`: the earlier one's. What is not known comes after everything.
  bool is_after(std::size_t later, std::size_t earlier, TaskId task) const {
    const auto found = clocks_.find(later);
    return found == clocks_.end() || found->second[task] >= clocks_.at(earlier)[task];
  }

 private:
  using Clock = std::array<std::uint32_t, kMostTasks>;

  static bool is_handed_on(const Access& one, const Access& other) {
    return one.to == AccessTo::mutex && one.releases && other.acquires &&
           one.object == other.object;
  }
  static void join(Clock& one, const Clock& other) {
    for (std::size_t i = 0; i < other.size(); ++i) one[i] = std::max(one[i], other[i]);
  }

  std::map<std::size_t, Clock> clocks_;  // by event
};

class NearestPassSearch {
 public:
  NearestPassSearch(Test& test, const Execution& failed, const std::vector<Event>& events,
                    const std::vector<Access>& accesses, Effort::Clock::time_point until)
      : test_(test),
        failed_(failed),
        events_(events),
        accesses_(accesses),
        effort_(test.is_isolated() ? 100 : 500, 2'000'000, until) {}

  std::vector<NearestPass> run(const std::vector<Schedule>& known) {
    for (const Event& event : events_) {
      if (event.step) steps_.push_back(static_cast<std::size_t>(&event - events_.data()));
    }
    looked_at_ = steps_;
    if (steps_.size() > kMostSteps) {
      const auto half = static_cast<std::ptrdiff_t>(kMostSteps / 2);
      looked_at_.erase(looked_at_.begin() + half, looked_at_.end() - half);
    }
    const std::vector<EventPair> pairs = pairs_to_turn();
    if (!pairs.empty()) dependences_.emplace(events_, accesses_, looked_at_);
    for (const EventPair& pair : pairs) {
      if (!effort_.is_left()) break;
      turn(pair);
    }
    leave_out_departures();
    try_known(known);
    std::stable_sort(best_.begin(), best_.end(),
                     [](const NearestPass& one, const NearestPass& other) {
                       return one.missing < other.missing;
                     });
    return std::move(best_);
  }

 private:
  // Each step with the last one before it, and the first one behind it, of each other task that it
  // conflicts with. Late ones come first: they are nearer to the failure.
  std::vector<EventPair> pairs_to_turn() const {
    std::set<std::pair<std::size_t, std::size_t>> found;
    const auto look = [&](std::size_t from, std::size_t at, TaskSet& seen) {
      const std::size_t one = looked_at_[std::min(from, at)];
      const std::size_t other = looked_at_[std::max(from, at)];
      const TaskSet task = only(accesses_[looked_at_[at]].task);
      if ((seen & task) != 0 || !conflict(accesses_[one], accesses_[other])) return;
      seen |= task;
      found.emplace(other, one);
    };
    for (std::size_t i = 0; i < looked_at_.size(); ++i) {
      TaskSet before = 0;
      TaskSet behind = 0;
      for (std::size_t j = i + 1; j < looked_at_.size(); ++j) look(i, j, behind);
      for (std::size_t j = i; j-- > 0;) look(i, j, before);
    }
    std::vector<EventPair> pairs;
    for (const auto& [second, first] : found) pairs.push_back({first, second});
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

  void turn(const EventPair& pair) {
    std::vector<const Event*> order;
    std::vector<const Event*> later;
    const TaskId task = accesses_[pair.first].task;
    const std::size_t first = begin_of_turn(pair.first);
    for (const std::size_t step : steps_) {
      if (step == pair.second) continue;
      const bool is_between = step > first && step < pair.second;
      const bool goes_first =
          step < first || (is_between && !dependences_->is_after(step, first, task));
      (goes_first ? order : later).push_back(&events_[step]);
    }
    order.push_back(&events_[pair.second]);
    order.insert(order.end(), later.begin(), later.end());
    InOrder strategy(std::move(order), failed_.schedule);
    if (!strategy.begin_execution()) return;
    const Execution& execution = test_.execute(strategy);
    effort_.use(execution);
    if (!execution.failed()) weigh(execution.schedule, pair);
  }

  // A task that begins makes its first step together with what it does before.
  std::size_t begin_of_turn(std::size_t event) const {
    std::size_t begin = event;
    for (std::size_t i = event; i-- > looked_at_.front();) {
      if (!events_[i].step || accesses_[i].task != accesses_[event].task) continue;
      if (accesses_[i].to != AccessTo::nothing) return event;
      begin = i;
    }
    return begin;
  }

  void try_known(const std::vector<Schedule>& known) {
    for (const Schedule& schedule : known) weigh(schedule, std::nullopt);
  }

  void leave_out_departures() {
    for (std::size_t i = 0; i < failed_.schedule.choices.size() && effort_.is_left(); ++i) {
      Schedule fewer = failed_.schedule;
      fewer.choices.erase(fewer.choices.begin() + static_cast<std::ptrdiff_t>(i));
      const Execution execution = test_.replay(fewer, false);
      effort_.use(execution);
      if (!execution.failed()) weigh(execution.schedule, std::nullopt);
    }
  }

  // Keeps an execution that passes if it is nearer than the best so far. `turned`: what was meant
  // to come in the other order.
  void weigh(const Schedule& schedule, std::optional<EventPair> turned) {
    if (!tried_.insert(key_of(schedule)).second) return;
    Execution execution = test_.replay(schedule, true);
    effort_.use(execution);
    if (execution.failed()) return;
    std::vector<std::size_t> at;  // where each event happens there
    const std::size_t missing = find_again(execution.recorded, at);
    std::vector<EventPair> reversed = reversed_in(at);
    // The first may not happen any more once the second comes before it.
    if (turned && at[turned->second] != kNowhere && at[turned->first] == kNowhere) {
      reversed.push_back(*turned);
    }
    if (reversed.empty()) return;
    std::stable_partition(reversed.begin(), reversed.end(),
                          [&](const EventPair& one) { return one == turned; });
    if (!best_.empty() && best_.front().reversed.size() < reversed.size()) return;
    if (!best_.empty() && best_.front().reversed.size() > reversed.size()) best_.clear();
    if (best_.size() == kMostKept) return;
    best_.push_back({std::move(execution), std::move(reversed), missing});
  }

  static std::vector<std::tuple<TaskId, std::uint32_t, std::uint32_t>> key_of(
      const Schedule& schedule) {
    std::vector<std::tuple<TaskId, std::uint32_t, std::uint32_t>> key;
    for (const Choice& choice : schedule.choices) {
      key.emplace_back(choice.place.task, choice.place.operation, choice.value);
    }
    return key;
  }

  // Returns how many steps are missing.
  std::size_t find_again(const std::vector<Event>& there, std::vector<std::size_t>& at) const {
    std::map<std::tuple<TaskPlace, OperationKind, std::uintptr_t>, std::size_t> places;
    for (std::size_t i = 0; i < there.size(); ++i) {
      places.emplace(std::tuple(there[i].place, there[i].kind, there[i].object), i);
    }
    at.assign(events_.size(), kNowhere);
    std::size_t missing = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const auto found = places.find({events_[i].place, events_[i].kind, events_[i].object});
      if (found != places.end()) at[i] = found->second;
      if (found == places.end() && events_[i].step) ++missing;
    }
    return missing;
  }

  std::vector<EventPair> reversed_in(const std::vector<std::size_t>& at) const {
    std::vector<EventPair> reversed;
    for (std::size_t i = 0; i < looked_at_.size(); ++i) {
      const std::size_t one = looked_at_[i];
      if (at[one] == kNowhere) continue;
      for (std::size_t j = i + 1; j < looked_at_.size(); ++j) {
        const std::size_t other = looked_at_[j];
        if (at[other] < at[one] && conflict(accesses_[one], accesses_[other])) {
          reversed.push_back({one, other});
        }
      }
    }
    return reversed;
  }

  static constexpr std::size_t kNowhere = SIZE_MAX;
  static constexpr std::size_t kMostKept = 20;

  Test& test_;
  const Execution& failed_;
  const std::vector<Event>& events_;
  const std::vector<Access>& accesses_;
  Effort effort_;
  std::vector<std::size_t> steps_;      // events that are
  std::vector<std::size_t> looked_at_;  // of these
  std::optional<Dependences> dependences_;
  std::set<std::vector<std::tuple<TaskId, std::uint32_t, std::uint32_t>>> tried_;
  std::vector<NearestPass> best_;  // with equally many pairs in the other order
};

}  // namespace

std::vector<NearestPass> find_nearest_passes(Test& test, const Execution& failed,
                                             const std::vector<Event>& events,
                                             const std::vector<Access>& accesses,
                                             const std::vector<Schedule>& known,
                                             Effort::Clock::time_point until) {
  return NearestPassSearch(test, failed, events, accesses, until).run(known);
}

}  // namespace heddle::sched::runtime

#include "sched/search/starvation_hunt.h"

#include <algorithm>
#include <bit>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::uint32_t kMostTries = 40;    // in one execution
constexpr std::size_t kMostMoments = 400;   // of one hunt
constexpr std::size_t kLongestRound = 64;   // decisions
constexpr std::uint32_t kHuntsBeginAt = 3;  // of so many moments at one
constexpr std::uint32_t kSeldomAtMost = 6;  // how seldom another task goes on

// Waits that somebody else ends. Whose end it is that is waited for may be starving itself; what
// comes from outside or by time is not the other tasks' doing.
bool is_wait(OperationKind kind) {
  switch (kind) {
    case OperationKind::lock:
    case OperationKind::lock_shared:
    case OperationKind::wake_up:
    case OperationKind::semaphore_wait:
    case OperationKind::barrier_wait:
    case OperationKind::futex_wait:
    case OperationKind::once:
      return true;
    default:
      return false;
  }
}

bool comes_from_outside(OperationKind kind) {
  return kind == OperationKind::descriptor_wait || kind == OperationKind::descriptor_use ||
         kind == OperationKind::signal_wait || kind == OperationKind::sleep ||
         kind == OperationKind::read_clock;
}

// Who waits now, for others or because it would only see again what it has seen.
TaskSet waiting_now(const Decision& decision) {
  TaskSet waiting = decision.reluctant;
  for (TaskSet left = engine().alive() & ~(decision.enabled | decision.reluctant); left != 0;
       left &= left - 1) {
    if (is_wait(engine().task(first_of(left)).announced)) waiting |= only(first_of(left));
  }
  return waiting;
}

bool waits_for_outside() {
  for (TaskSet left = engine().alive(); left != 0; left &= left - 1) {
    if (comes_from_outside(engine().task(first_of(left)).announced)) return true;
  }
  return false;
}

// What each task is about to do, and who can.
std::uint64_t state_of(const Decision& decision) {
  std::uint64_t state = engine().alive();
  const auto mix = [&state](std::uint64_t value) {
    state = (state ^ value) * 0x9E3779B97F4A7C15ULL;
    state ^= state >> 29;
  };
  mix(decision.enabled);
  mix(decision.reluctant);
  mix(decision.current);
  for (TaskSet left = engine().alive(); left != 0; left &= left - 1) {
    const Task& task = engine().task(first_of(left));
    mix(static_cast<std::uint64_t>(task.announced) << 48 ^ task.object);
  }
  return state;
}

}  // namespace

bool StarvationHunt::begin_execution() {
  random_ = RandomNumbers::of_execution(seed_ ^ 0x5354415256455321ULL, number_++);
  give_up();
  departures_ = tries_ = 0;
  changes_task_at_ = 2 + random_.below(kSeldomAtMost);
  return true;
}

TaskId StarvationHunt::pick(const Decision& decision) {
  const TaskId task = choose_task(decision);
  if (task != decision.by_default()) ++departures_;
  return task;
}

std::uint32_t StarvationHunt::choose(std::uint32_t count, bool fault, TaskPlace /*place*/) {
  if (fault || victims_ != 0) return 0;
  const std::uint32_t chosen = random_.below(count);
  if (chosen != 0) ++departures_;
  return chosen;
}

void StarvationHunt::end_execution(std::size_t /*steps*/, bool /*grown*/) {}

std::string StarvationHunt::coverage() const {
  return std::to_string(number_) + " hunts for starvation";
}

Repeated StarvationHunt::repeated() const {
  if (!repeats_) return {};
  return {.round = &round_, .kept = kept_, .times = rounds_};
}

void StarvationHunt::give_up() {
  victims_ = 0;
  moments_.clear();
  repeats_ = false;
}

TaskId StarvationHunt::choose_task(const Decision& decision) {
  const bool is_hunted = decision.timed == 0 && tries_ < kMostTries &&
                         (engine().alive() >> kMostHunted) == 0 && decision.enabled != 0;
  if (!is_hunted) give_up();
  if (victims_ == 0 && is_hunted && random_.below(kHuntsBeginAt) == 0) look_for_victims(decision);
  if (victims_ != 0) return choose_while_hunting(decision);
  const TaskSet able = decision.enabled & ~decision.reluctant;
  const TaskSet some = able != 0 ? able : decision.enabled | decision.timed;
  return nth_of(some, random_.below(static_cast<std::uint32_t>(std::popcount(some))));
}

void StarvationHunt::look_for_victims(const Decision& decision) {
  const TaskSet waiting = waiting_now(decision);
  for (TaskSet left = waiting; left != 0; left &= left - 1) {
    if (random_.below(4) != 0) victims_ |= only(first_of(left));
  }
}

TaskId StarvationHunt::choose_while_hunting(const Decision& decision) {
  note(decision);
  Moment& now = moments_.back();
  if (repeats_) {
    const Moment& before = moments_[round_begin_ + round_at_];
    if (before.state == now.state && before.now_ns == now.now_ns) {
      const TaskId task = before.picked;
      moments_.pop_back();
      if (++round_at_ == moments_.size() - round_begin_) {
        round_at_ = 0;
        ++rounds_;
      }
      return task;
    }
    // What repeats so far has an end.
    ++tries_;
    give_up();
    return decision.by_default();
  }
  if (is_back()) {
    const TaskId task = moments_[round_begin_].picked;
    round_at_ = moments_.size() - round_begin_ == 1 ? 0 : 1;
    return task;
  }
  const TaskSet able = decision.enabled & ~decision.reluctant;
  const TaskSet served = able & victims_;
  TaskSet some = served != 0 ? served : able;
  if (some == 0) some = decision.enabled;
  const bool goes_on = (some & only(decision.current)) != 0 && random_.below(changes_task_at_) != 0;
  const TaskId task =
      goes_on ? decision.current
              : nth_of(some, random_.below(static_cast<std::uint32_t>(std::popcount(some))));
  now.picked = task;
  if (moments_.size() >= kMostMoments) {
    ++tries_;
    give_up();
  }
  return task;
}

void StarvationHunt::note(const Decision& decision) {
  Moment& now = moments_.emplace_back();
  now.state = state_of(decision);
  now.now_ns = engine().now_ns();
  now.able = decision.enabled & ~decision.reluctant;
  now.reluctant = decision.reluctant;
  now.departures = departures_;
  for (TaskSet left = engine().alive(); left != 0; left &= left - 1) {
    const Task& task = engine().task(first_of(left));
    now.counts[task.id] = {task.operations, task.changes, task.vain};
  }
}

// Whether the last moment ends a round: then it is begun again.
bool StarvationHunt::is_back() {
  const Moment& end = moments_.back();
  if (waits_for_outside()) return false;
  for (std::size_t length = 1; length <= std::min(kLongestRound, moments_.size() - 1); ++length) {
    const std::size_t begin = moments_.size() - 1 - length;
    if (moments_[begin].state != end.state || moments_[begin].now_ns != end.now_ns) continue;
    const TaskSet starving = starving_since(moments_[begin], end);
    if (starving == 0 || end.departures == moments_[begin].departures) continue;
    if (!is_fair(begin, starving)) continue;
    begin_round(begin, starving);
    return true;
  }
  return false;
}

// Victims that wait at both moments, and have not come further.
TaskSet StarvationHunt::starving_since(const Moment& begin, const Moment& end) const {
  TaskSet starving = 0;
  for (TaskSet left = victims_ & engine().alive() & ~end.able; left != 0; left &= left - 1) {
    const Task& task = engine().task(first_of(left));
    const bool has_stood = begin.counts[task.id].operations == end.counts[task.id].operations;
    const bool looks = (end.reluctant & only(task.id)) != 0;
    // These look themselves whether they have what they wait for.
    const bool looks_again = looks || task.announced == OperationKind::wake_up ||
                             task.announced == OperationKind::futex_wait;
    if (begin.counts[task.id].changes != end.counts[task.id].changes) continue;
    if (!looks && !is_wait(task.announced)) continue;
    if (has_stood || looks_again) starving |= only(task.id);
  }
  return starving;
}

bool StarvationHunt::is_fair(std::size_t begin, TaskSet starving) const {
  const Moment& first = moments_[begin];
  const Moment& end = moments_.back();
  TaskSet able = 0;
  TaskSet reluctant = 0;
  for (std::size_t i = begin; i + 1 < moments_.size(); ++i) {
    able |= moments_[i].able;
    reluctant |= moments_[i].reluctant;
  }
  for (TaskSet left = engine().alive() & ~starving; left != 0; left &= left - 1) {
    const TaskId task = first_of(left);
    const Counts& before = first.counts[task];
    const Counts& after = end.counts[task];
    const bool has_gone_on = before.operations != after.operations;
    if (!has_gone_on && ((able | reluctant) & only(task)) != 0) return false;
    if (has_gone_on && before.changes == after.changes) return false;
    if (has_gone_on && (before.vain != after.vain || (reluctant & only(task)) != 0)) return false;
  }
  return true;
}

void StarvationHunt::begin_round(std::size_t begin, TaskSet starving) {
  const Moment& first = moments_[begin];
  const Moment& end = moments_.back();
  round_ = Round{.choices = static_cast<std::uint32_t>(end.departures - first.departures),
                 .starving = starving,
                 .operations = {}};
  for (std::size_t task = 0; task < kMostHunted; ++task) {
    const bool is_alive = (engine().alive() & only(static_cast<TaskId>(task))) != 0;
    round_.operations.push_back(
        is_alive ? end.counts[task].operations - first.counts[task].operations : 0);
  }
  while (round_.operations.size() > 1 && round_.operations.back() == 0) {
    round_.operations.pop_back();
  }
  kept_ = end.departures;
  round_begin_ = begin;
  moments_.pop_back();
  repeats_ = true;
  rounds_ = 1;
}

}  // namespace heddle::sched::runtime

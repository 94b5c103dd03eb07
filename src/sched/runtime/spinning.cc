// Tasks that look at the same values again and again. What they see cannot change while they alone
// go on, so they are set behind the others until somebody changes it: else no loop that waits for a
// flag would end.
#include <algorithm>
#include <bit>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

void Engine::saw(std::uintptr_t address, std::uint64_t value, const void* caller,
                 std::uint32_t part) {
  Task& task = *running_;
  for (std::size_t i = 0; i < task.seen_count; ++i) {
    if (!task.seen[i].is(address, value, caller, part)) continue;
    if (task.patience > 0) {
      --task.patience;
    } else {
      spinning_ |= only(task.id);
    }
    return;
  }
  if (task.seen_count == task.seen.size()) task.seen_count = 0;
  Seen& now = task.seen[task.seen_count++];
  now.address = address;
  now.value = value;
  now.caller = caller;
  now.part = part;
}

void Engine::changed(std::uintptr_t address) {
  Task& task = *running_;
  idle_rounds_ = 0;
  ++task.changes;
  task.seen_count = 0;
  task.reads_clock = false;
  for (TaskSet left = spinning_ & ~only(task.id); left != 0; left &= left - 1) {
    Task& other = tasks_[first_of(left)];
    for (std::size_t i = 0; i < other.seen_count; ++i) {
      if (other.seen[i].address != address) continue;
      spinning_ &= ~only(other.id);
      other.seen_count = 0;
      other.reads_clock = false;
      break;
    }
  }
  spinning_ &= ~only(task.id);
}

// Whoever is left looks again at what it has seen. If one of them waits for the clock, time passes
// faster and faster until it is content.
TaskSet Engine::wake_spinning() {
  constexpr std::uint32_t kMostIdleRounds = 20'000;
  constexpr unsigned kMostDoublings = 40;
  // Who is alone may look at the same value in each round of a loop that has an end.
  if (!std::has_single_bit(alive_) || ++rounds_alone_ % kAlone == 0) ++idle_rounds_;
  if (idle_rounds_ > kMostIdleRounds) {
    note_waiting();
    fail(FailureKind::livelock, "the threads that are left look at the same values for ever");
  }
  TaskSet woken = enabled_;
  for (TaskSet left = woken; left != 0; left &= left - 1) {
    Task& task = tasks_[first_of(left)];
    if (task.reads_clock) {
      now_ns_ += std::uint64_t{1000} << std::min<unsigned>(idle_rounds_, kMostDoublings);
    }
    task.seen_count = 0;
    task.reads_clock = false;
  }
  spinning_ = 0;
  return woken;
}

// Whoever spins may give up after some tries and do something else: an exception lets it come so
// far.
void Engine::be_patient(Task& task) {
  constexpr std::uint32_t kPatience = 32;
  constexpr std::uint32_t kMostDoublings = 6;
  task.patience = kPatience << std::min(task.exceptions++, kMostDoublings);
  task.seen_count = 0;
  spinning_ &= ~only(task.id);
}

// Whoever waits in a loop that changes something in each round and takes it back sees nothing
// twice, and two of them wake each other up. So nobody is passed over for ever: after many steps of
// others, the sooner if these say themselves that others should go on, all are set behind a task
// that waits. Steps are counted for all at once, now and then; not always after the same number,
// which could be a multiple of what others do in a round: then a task would always look at the same
// bad moment. Whom it has not helped to change anything has its turn again sooner.
void Engine::keep_fair(const Task& task) {
  constexpr std::uint32_t kMost = 2000;
  constexpr std::uint32_t kMostHalvings = 5;
  TaskSet starving = 0;
  for (TaskSet left = alive_ & ~only(task.id); left != 0; left &= left - 1) {
    Task& other = tasks_[first_of(left)];
    other.passed_over += uncounted_steps_;
    if (other.changes != other.favoured_at) other.favours = 0;
    const std::uint32_t most = kMost >> std::min(other.favours, kMostHalvings);
    if (other.passed_over >= most && (enabled_ & only(other.id)) != 0) starving |= only(other.id);
  }
  uncounted_steps_ = 0;
  fair_after_ =
      kYield / 2 + static_cast<std::uint32_t>(steps_ * 0x9E3779B97F4A7C15ULL >> 40) % kYield;
  if (starving == 0) return;
  spinning_ = (spinning_ | enabled_) & ~starving;
  for (; starving != 0; starving &= starving - 1) {
    Task& other = tasks_[first_of(starving)];
    ++other.favours;
    other.favoured_at = other.changes;
  }
}

// Who can go on, without those that would only see again what they have seen.
TaskSet Engine::able() {
  const TaskSet able = enabled_ & ~spinning_;
  if (able != 0 || enabled_ == 0) return able;
  // A time that comes may change what they look at.
  return timed_ != 0 ? 0 : wake_spinning();
}

std::uint64_t Engine::read_clock(const void* caller) {
  Task& task = *running_;
  step({.kind = OperationKind::read_clock, .changes = false, .caller = caller});
  task.reads_clock = true;
  saw(0, 0, caller);
  return ++now_ns_;
}

}  // namespace heddle::sched::runtime

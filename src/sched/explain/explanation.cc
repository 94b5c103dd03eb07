#include "sched/explain/explanation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sched/explain/pattern.h"

namespace heddle::sched::runtime {

namespace {

// How such an execution fails does not depend on who goes when.
bool is_explained(FailureKind kind) {
  return kind != FailureKind::not_deterministic && kind != FailureKind::memory_kept &&
         kind != FailureKind::too_many_tasks && kind != FailureKind::starvation &&
         kind != FailureKind::none;
}

std::vector<Event> with_waiting(const Execution& failed) {
  std::vector<Event> events = failed.recorded;
  for (const Waiting& waiting : failed.failure.waiting) {
    events.push_back({.place = {waiting.task, waiting.operation},
                      .kind = waiting.kind,
                      .object = waiting.object,
                      .decided = {},
                      .stack = {}});
  }
  return events;
}

// Who goes round.
TaskSet tasks_of(const Round& round) {
  TaskSet tasks = 0;
  for (std::size_t task = 0; task < round.operations.size(); ++task) {
    if (round.operations[task] > 0) tasks |= only(static_cast<TaskId>(task));
  }
  return tasks;
}

// The race was noticed where memory is freed: the pair is that and its last use.
std::optional<EventPair> freed_pair(const Execution& failed, const std::vector<Access>& accesses) {
  if (failed.recorded.empty()) return std::nullopt;
  const std::size_t freed = failed.recorded.size() - 1;
  const Event& event = failed.recorded[freed];
  if (event.kind != OperationKind::free) return std::nullopt;
  for (std::size_t used = freed; used-- > 0;) {
    const Access& access = accesses[used];
    const bool is_inside =
        access.object >= event.object && access.object < event.object + event.size;
    if (access.task == failed.failure.other && access.to == AccessTo::memory && is_inside) {
      return EventPair{used, freed};
    }
  }
  return std::nullopt;
}

// The access at which the race was noticed is the last of its task, and the other one the last that
// is not ordered before it.
std::optional<EventPair> racing_pair(const Execution& failed, const std::vector<Access>& accesses) {
  const Failure& failure = failed.failure;
  if (const std::optional<EventPair> freed = freed_pair(failed, accesses)) return freed;
  std::size_t second = accesses.size();
  while (second-- > 0) {
    const Access& access = accesses[second];
    if (access.task == failure.task && access.to == AccessTo::memory) break;
  }
  if (second >= accesses.size()) return std::nullopt;
  for (std::size_t first = second; first-- > 0;) {
    const Access& access = accesses[first];
    const bool is_plain = access.is_plain || accesses[second].is_plain;
    if (access.task == failure.other && is_plain && conflict(access, accesses[second])) {
      return EventPair{first, second};
    }
  }
  return std::nullopt;
}

// Accesses that are made under a mutex say more than who took it first.
void look_inside(const std::vector<Access>& accesses, Explanation& why) {
  const EventPair taken = *why.deciding;
  const Access& mutex = accesses[taken.first];
  if (mutex.to != AccessTo::mutex || !mutex.acquires) return;
  const auto is_given_back = [&](const Access& access, TaskId by) {
    return access.task == by && access.releases && access.object == mutex.object;
  };
  const TaskId other = accesses[taken.second].task;
  for (std::size_t i = taken.first; i < accesses.size(); ++i) {
    if (is_given_back(accesses[i], mutex.task)) return;
    if (accesses[i].task != mutex.task || accesses[i].to != AccessTo::memory) continue;
    for (std::size_t j = taken.second; j < accesses.size(); ++j) {
      if (is_given_back(accesses[j], other)) break;
      if (accesses[j].task != other || !conflict(accesses[i], accesses[j]) || j < i) continue;
      why.deciding = EventPair{i, j};
      why.mutex = mutex.object;
      return;
    }
  }
}

// What the pair's threads do in the execution that passes and no more in the failing one, which
// ended before: a thread that was in the middle of something would have gone on like that.
std::vector<Event> with_rest(const std::vector<Event>& events, const EventPair& pair,
                             const Execution& passing) {
  std::vector<Event> more = events;
  const auto is_alike = [](const Event& one, const Event& other) {
    return one.place == other.place && one.kind == other.kind && one.object == other.object;
  };
  for (const std::size_t of : {pair.first, pair.second}) {
    const TaskId task = events[of].place.task;
    std::uint32_t last = 0;
    std::vector<const Event*> own;
    for (const Event& event : events) {
      if (event.place.task != task) continue;
      last = std::max(last, event.place.operation);
      own.push_back(&event);
    }
    std::size_t met = 0;
    for (const Event& event : passing.recorded) {
      if (event.place.task != task) continue;
      if (met < own.size() && is_alike(event, *own[met])) ++met;
      if (met == own.size() && event.place.operation > last) more.push_back(event);
    }
  }
  return more;
}

// Of passing executions that are equally near the one whose pair makes the most special pattern,
// and of these the first.
void choose_pair(const Execution& failed, const std::vector<Access>& accesses,
                 const std::vector<NearestPass>& nearest, Explanation& why) {
  if (nearest.empty()) return;
  const NearestPass* chosen = nullptr;
  std::optional<std::size_t> best;
  Explanation best_why;
  for (const NearestPass& one : nearest) {
    Explanation tried = why;
    tried.deciding = one.reversed.front();
    look_inside(accesses, tried);
    const std::vector<Event> events = with_rest(why.events, *tried.deciding, one.execution);
    const std::optional<std::size_t> pattern = find_pattern({.failure = failed.failure,
                                                             .events = events,
                                                             .accesses = accesses_of(events),
                                                             .pair = tried.deciding,
                                                             .is_race = false});
    if (chosen != nullptr && (!pattern || (best && *best <= *pattern))) continue;
    chosen = &one;
    best = pattern;
    best_why = std::move(tried);
  }
  why = std::move(best_why);
  why.reversed = chosen->reversed.size();
  if (best) why.pattern = pattern_name(*best);
  // What a thread waits for at the end it has done there.
  Event& second = why.events[why.deciding->second];
  for (const Event& event : chosen->execution.recorded) {
    if (second.stack.empty() && event.place == second.place && event.kind == second.kind) {
      second.stack = event.stack;
    }
  }
}

}  // namespace

Explanation explain_why(Test& test, const Execution& failed) {
  Explanation why;
  why.events = with_waiting(failed);
  why.done = failed.recorded.size();
  if (failed.failure.kind == FailureKind::starvation) {
    why.cycle = find_cycle(failed.recorded, tasks_of(failed.schedule.round));
  }
  if (!is_explained(failed.failure.kind)) return why;
  const std::vector<Access> accesses = accesses_of(why.events);
  why.is_race = failed.failure.kind == FailureKind::data_race;
  // Of fast executions this is never all.
  constexpr std::chrono::seconds kEach(5);
  why.no_return = find_point_of_no_return(test, failed, Effort::Clock::now() + kEach);
  if (failed.failure.kind == FailureKind::too_long ||
      failed.failure.kind == FailureKind::livelock) {
    why.cycle = find_cycle(failed.recorded);
  }
  if (why.is_race) {
    why.deciding = racing_pair(failed, accesses);
    const auto pattern = find_pattern({.failure = failed.failure,
                                       .events = why.events,
                                       .accesses = accesses,
                                       .pair = why.deciding,
                                       .is_race = true});
    if (pattern) why.pattern = pattern_name(*pattern);
  } else {
    std::vector<Schedule> known;
    if (why.no_return && why.no_return->passing) known.push_back(*why.no_return->passing);
    choose_pair(failed, accesses,
                find_nearest_passes(test, failed, why.events, accesses, known,
                                    Effort::Clock::now() + kEach),
                why);
  }
  return why;
}

}  // namespace heddle::sched::runtime

// What an execution does again and again in its end.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sched/runtime/event.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

// Steps that repeat.
struct Cycle {
  std::vector<std::size_t> events;  // one round, the last that was made as a whole
  std::size_t rounds = 0;           // how many rounds there are in the end
};

// The shortest one that is made at least three times, by the same threads at the same places, with
// a step of each of `tasks`. None: the end has no such order.
std::optional<Cycle> find_cycle(const std::vector<Event>& events, TaskSet tasks = 0);

}  // namespace heddle::sched::runtime

// Executions that pass and differ from a failing one in as little as possible.
#pragma once

#include <cstddef>
#include <vector>

#include "sched/explain/accesses.h"
#include "sched/explain/effort.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

// Two events of the failing execution, of which the first happened before the second.
struct EventPair {
  std::size_t first = 0;
  std::size_t second = 0;

  friend bool operator==(const EventPair&, const EventPair&) = default;
};

struct NearestPass {
  Execution execution;  // recorded
  // The pairs that are about the same thing and come in the other order there, at least one.
  std::vector<EventPair> reversed;
  std::size_t missing = 0;  // steps of the failing execution that do not happen there
};

// Those with the fewest pairs in the other order; of these the ones in which the fewest steps are
// missing, and which part the latest, come first. None: nothing that was tried passes. `events` are
// those of the failing execution, and what its threads wait for at its end; `known` are schedules
// that pass.
std::vector<NearestPass> find_nearest_passes(Test& test, const Execution& failed,
                                             const std::vector<Event>& events,
                                             const std::vector<Access>& accesses,
                                             const std::vector<Schedule>& known,
                                             Effort::Clock::time_point until);

}  // namespace heddle::sched::runtime

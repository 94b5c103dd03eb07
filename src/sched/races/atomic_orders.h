// What atomic operations tell and learn, by the orders of C++20 ([intro.races], [atomics.order],
// [atomics.fences]). Executions are sequentially consistent: an operation reads what was written
// last. What it learns is another matter: a relaxed store tells nothing, and ends the release
// sequence of the one before; an operation that changes a value goes on with the sequence; fences
// work through relaxed operations.
#pragma once

#include "sched/races/vector_clock.h"

namespace heddle::sched::runtime {

// The numbers of std::memory_order.
struct MemoryOrder {
  enum : int { relaxed, consume, acquire, release, acquire_release, sequentially_consistent };
};

inline bool acquires(int order) {
  return order != MemoryOrder::relaxed && order != MemoryOrder::release;
}
inline bool releases(int order) { return order >= MemoryOrder::release; }

// What a task knows.
struct TaskClocks {
  VectorClock clock;
  VectorClock released;  // its clock at its last release fence
  VectorClock acquired;  // what its relaxed loads give to an acquire fence

  // What has been told: later the task is at another moment.
  void advance(TaskId task) { clock.set(task, clock.of(task) + 1); }
};

// Whether a store or a change of this order tells anything.
inline bool tells(const TaskClocks& clocks, int order) {
  return releases(order) || clocks.released.size != 0;
}

// A load, or the loading half of a change, of an object that was `told` this. It happens before the
// access is looked at: what was done before the store that it reads from does not race with it.
inline void learn_by_loading(TaskClocks& clocks, int order, const VectorClock& told) {
  (acquires(order) ? clocks.clock : clocks.acquired).join(told);
}

inline void tell_by_storing(TaskClocks& clocks, TaskId task, int order, VectorClock& told) {
  if (releases(order)) {
    told.take(clocks.clock);
    clocks.advance(task);
  } else {
    told.take(clocks.released);
  }
}

inline void tell_by_changing(TaskClocks& clocks, TaskId task, int order, VectorClock& told) {
  if (releases(order)) {
    told.join(clocks.clock);
    clocks.advance(task);
  } else {
    told.join(clocks.released);
  }
}

inline void fence(TaskClocks& clocks, TaskId task, int order) {
  if (acquires(order)) clocks.clock.join(clocks.acquired);
  if (!releases(order)) return;
  clocks.released.take(clocks.clock);
  clocks.advance(task);
}

}  // namespace heddle::sched::runtime

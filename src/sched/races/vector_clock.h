// Vector clocks: what each task has seen of each other (Lamport 1978, Fidge 1988, Mattern 1989).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sched::runtime {

// How many tasks may be under way at once. A place is used again when its task has ended and
// whoever starts the next one knows of that end.
constexpr std::size_t kMostTasks = 64;

using TaskId = std::uint8_t;

// A moment of one task. A task's moments advance when it tells others something.
using Moment = std::uint32_t;

// The latest moment of each task that is known here. Only the first `size` may differ from 0.
struct VectorClock {
  std::uint32_t size = 0;
  Moment moments[kMostTasks];

  Moment of(TaskId task) const { return task < size ? moments[task] : 0; }
  void set(TaskId task, Moment moment) {
    while (size <= task) moments[size++] = 0;
    moments[task] = moment;
  }
  void clear() { size = 0; }
  void take(const VectorClock& other) {
    size = other.size;
    for (std::uint32_t i = 0; i < other.size; ++i) moments[i] = other.moments[i];
  }
  void join(const VectorClock& other) {
    while (size < other.size) moments[size++] = 0;
    for (std::uint32_t i = 0; i < other.size; ++i) {
      if (moments[i] < other.moments[i]) moments[i] = other.moments[i];
    }
  }
};

}  // namespace heddle::sched::runtime

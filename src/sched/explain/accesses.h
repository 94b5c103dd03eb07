// Which events of a recorded execution are about the same thing, so that their order may matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/runtime/event.h"

namespace heddle::sched::runtime {

// What an event is about, as far as others can notice.
enum class AccessTo : std::uint8_t { nothing, memory, mutex, condition, semaphore, other };

// What an event does to that.
struct Access {
  AccessTo to = AccessTo::nothing;
  TaskId task = 0;
  std::uintptr_t object = 0;
  std::uint32_t size = 0;
  std::uint32_t block = 0;  // which of the blocks of memory that stood there one after the other
  bool is_plain = false;    // not atomic
  bool reads = false;
  bool changes = false;
  bool acquires = false;  // a mutex
  bool releases = false;

  bool only_reads() const { return reads && !changes; }
  bool only_writes() const { return changes && !reads; }
};

// One for each event.
std::vector<Access> accesses_of(const std::vector<Event>& events);

// Whether both are about the same bytes.
bool overlap(const Access& one, const Access& other);

// Whether the order of the two can make a difference: they are about the same thing, by two tasks.
bool conflict(const Access& one, const Access& other);

}  // namespace heddle::sched::runtime

// What executions left behind in the program's globals, by name.
#pragma once

#include <string>
#include <vector>

#include "sched/races/left_memory.h"

namespace heddle::sched::runtime {

// Notes how the program's globals are now, so that what changes them unseen is noticed, too.
void watch_globals(LeftMemory& memory);

struct LeftGlobal {
  std::string name;           // "counter", "f()::once", or where it stands if nobody knows
  bool keeps_memory = false;  // it points to memory of an execution that is over
};

// The globals that these bytes are part of, each once, from `nm`. What the standard library keeps
// for itself is left out.
std::vector<LeftGlobal> left_globals(const std::vector<LeftMemory::Found>& found);

// What is said of them, in a line; empty: there are none.
std::string describe_left(const std::vector<std::string>& names);

}  // namespace heddle::sched::runtime

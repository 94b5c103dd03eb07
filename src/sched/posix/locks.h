// Mutexes as conditions need them, too.
#pragma once

#include <cstdint>
#include <optional>
#include <pthread.h>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

// Lets those go on that could have the object now, and holds up the others.
void refresh(SyncObject& object);

// The running task has the mutex from now on. REQUIRES: nobody has it.
void take(SyncObject& mutex, std::uint32_t depth);

// The running task gives the mutex away, however often it has it; returns how often that was.
std::uint32_t give(SyncObject& mutex);

}  // namespace heddle::sched::runtime

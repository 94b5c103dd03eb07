// Which code is compiled with -fsanitize=thread: what it asks a library's function to do to memory
// is its own doing. What other libraries and the runtime itself ask for is not.
#pragma once

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

// Whether the code that `caller` returns to is. What was found out is kept.
bool is_instrumented(const void* caller);

// Finds it out for a caller that another process of this program has met.
void learn_caller(const void* caller);

// Whether what a function that `caller` called does to memory are accesses of the running task.
inline bool is_watched(const void* caller) {
  return is_on_task() && engine().running().ignoring == 0 && is_instrumented(caller);
}

}  // namespace heddle::sched::runtime

// Tasks by the names that the C library has for them.
#pragma once

#include <pthread.h>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

// Null: the test did not create this thread, or it is gone.
Task* find_task(pthread_t handle);

}  // namespace heddle::sched::runtime

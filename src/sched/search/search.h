// Which executions of a test are tried.
#pragma once

#include "heddle/sched.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

// Tries until something fails or the limits are reached.
Answer search(Test& test);

}  // namespace heddle::sched::runtime

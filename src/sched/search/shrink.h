// A failure with as few choices as it needs.
#pragma once

#include "sched/runtime/event.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

// Whether two executions fail in the same way.
bool fails_alike(const Failure& one, const Failure& other);

// A schedule under which the test fails in the same way, and of which no choice can be left out
// (Zeller and Hildebrandt: Simplifying and isolating failure-inducing input, TSE 2002). The
// execution of that schedule is returned. `executions` says how many it took.
Execution shrink(Test& test, const Execution& failed, std::uint64_t& executions);

}  // namespace heddle::sched::runtime

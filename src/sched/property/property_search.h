// Which programs of a property are tried, and how a failure gets small.
#pragma once

#include "heddle/sched_property.h"
#include "sched/property/program.h"
#include "sched/runtime/event.h"

namespace heddle::sched::runtime {

// Programs with one thread, then with several, each under many interleavings.
Answer check_property(PropertyTest& property, const ProgramSize& size, const Options& options);

}  // namespace heddle::sched::runtime

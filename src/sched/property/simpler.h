// Programs that are simpler by one thing.
#pragma once

#include <functional>

#include "sched/property/program.h"

namespace heddle::sched::runtime {

// Shows `visit` programs that are simpler than this one by a branch, by calls, by a call that need
// not run beside others, or by an argument, until it takes one. False: it has taken none.
bool visit_simpler(const PropertyTest& property, const Program& program,
                   const std::function<bool(const Program&)>& visit);

}  // namespace heddle::sched::runtime

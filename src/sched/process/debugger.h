// Whether somebody looks at the process step by step.
#pragma once

namespace heddle::sched::runtime {

// Whether a debugger has attached to the process, or has started it.
bool is_debugged(int process);

}  // namespace heddle::sched::runtime

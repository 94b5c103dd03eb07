// Signals that a test's own doing raises.
#pragma once

namespace heddle::sched::runtime {

// From now on a crash of a task ends its execution.
void handle_crashes();
void stop_handling_crashes();

// The calling thread handles signals on memory of its own: a stack that is used up has no room for
// it.
void use_signal_stack();

}  // namespace heddle::sched::runtime

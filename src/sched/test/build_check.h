// Whether a program is built so that the runtime sees what it does.
#pragma once

namespace heddle::sched::runtime {

// Executes the sample once in a process, and stops the program with what to change if an access, an
// atomic operation, a lock or a notification of it does not arrive: a test that sees nothing would
// find nothing.
void verify_build(void (*sample)(void*));

}  // namespace heddle::sched::runtime

// The thread_local objects of the program.
#pragma once

namespace heddle::sched::runtime {

// Finds the program's block of thread-local memory. Called once, by the driver.
void find_thread_locals();

// Makes the program's thread-local memory of the thread with this thread pointer as in a new
// thread. That of libraries is theirs.
void reset_thread_locals(void* thread_pointer);

}  // namespace heddle::sched::runtime

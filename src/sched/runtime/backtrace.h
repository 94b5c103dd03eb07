// Who called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::sched::runtime {

// Return addresses of the running thread, the innermost first, from `caller` on; from the first in
// the program on if that is null or not among them.
std::vector<std::uintptr_t> backtrace_from(const void* caller);

// Leaves out those that are the runtime's own.
void drop_runtime_frames(std::vector<std::uintptr_t>& frames);

// Calls heddle_sched_break, at which a debugger stops. heddle_sched_frame is the canonical address
// of the frame that is so many above the one that `caller` is in.
void stop_for_debugger(const void* caller, std::size_t above);

// Those behind the last that is the runtime's own.
std::vector<std::uintptr_t> program_frames();

}  // namespace heddle::sched::runtime

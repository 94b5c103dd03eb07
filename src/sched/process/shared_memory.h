// Memory that a process shares with its children.
#pragma once

#include <cstddef>

namespace heddle::sched::runtime {

// All zero, and taken from the system as it is touched. Stops the program if there is none.
void* map_shared(std::size_t size);

}  // namespace heddle::sched::runtime

// Waits on futexes that the program asks the system for by itself.
#pragma once

#include <array>

namespace heddle::sched::runtime {

// As syscall(SYS_futex, arguments...). REQUIRES: is_on_task().
long controlled_futex(const std::array<long, 6>& arguments, const void* caller);

}  // namespace heddle::sched::runtime

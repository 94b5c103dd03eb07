// An execution as bytes that another process of the same program can read: addresses mean the same
// there.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/runtime/event.h"

namespace heddle::sched::runtime {

std::vector<std::uint8_t> print_execution(const Execution& execution);

// False: the bytes are those of no execution, or were cut. REQUIRES: `execution` is clear.
bool parse_execution(const std::uint8_t* bytes, std::size_t count, Execution& execution);

}  // namespace heddle::sched::runtime

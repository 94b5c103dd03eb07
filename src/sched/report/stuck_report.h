// What is told of an execution that did not come back.
#pragma once

#include <string>

#include "sched/runtime/flight.h"

namespace heddle::sched::runtime {

// `seconds`: for so long no thread came to a step. `command` starts the program; empty: its name.
std::string describe_stuck(const Flight& flight, double seconds, const std::string& command);

}  // namespace heddle::sched::runtime

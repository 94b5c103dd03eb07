// How often a run of a functionality hands over from one service to another.
#pragma once

#include <cstddef>

#include "heddle/program.h"
#include "split/services.h"

namespace heddle::chopping {

// The most that a run can: of a branch it takes one of two ways, and of a loop `rounds` rounds at
// most. `functionality`: as the services run it.
std::size_t count_hand_overs(const Functionality& functionality, const TableServices& services,
                             std::size_t rounds);

}  // namespace heddle::chopping

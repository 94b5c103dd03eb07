// Causes that differ by the way to their statements alone: a statement of the code that is reached
// on several ways, in branches or one after the other, is read as several statements.
#pragma once

#include <cstddef>
#include <vector>

#include "heddle/find.h"

namespace heddle {

// The group of each cause, from 1, in the order of the first ones: those of one kind and of the
// same functionalities, whose statements stand at the same places.
std::vector<std::size_t> cause_groups(const FindReport& report, const Program& program);

}  // namespace heddle

// A functionality that stops at a border.
#pragma once

#include <string>

#include "heddle/program.h"
#include "split/failures/borders.h"

namespace heddle::failures {

// It ends there with an error, so that its caller knows; what handles errors around the border
// would undo that, and there it returns instead.
Functionality stopped_at(const PlacedStatement& commit, const Functionality& whole,
                         std::string name);

}  // namespace heddle::failures

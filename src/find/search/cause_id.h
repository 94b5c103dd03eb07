// Names of causes that last.
#pragma once

#include <vector>

#include "heddle/find.h"

namespace heddle::find {

// Gives each cause its id: 12 hexadecimal digits of a hash of its kind and of the statements that
// its cycles go through, each with the name of its functionality. Places, comments, white space,
// the level and all that the program has besides do not count. Causes that would have the same id
// are told apart by their order. Where its cycles had another kind in earlier versions, the id that
// it had by that comes along.
void name_causes(const Program& program, std::vector<FoundCause>& causes);

}  // namespace heddle::find

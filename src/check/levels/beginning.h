// The beginning of a history, for when there is no room for all of it.
#pragma once

#include <cstddef>

#include "heddle/recorded_history.h"

namespace heddle {

// At most the first `count` transactions; they and their operations keep their numbers. What they
// read, or may have read, from later ones is as if nobody had been told; so whatever is not legal
// about them is not legal about the whole.
TransactionHistory beginning_of(const TransactionHistory& history, std::size_t count);

}  // namespace heddle

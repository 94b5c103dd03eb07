// Which writes of a functionality leave nothing new when it is called once more with the same
// arguments.
#pragma once

#include <vector>

#include "find/search_input.h"
#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle::failures {

// By number in the order of list_statements(): whether the statement writes the same values to the
// same rows every time, whatever of the functionality has been done before. That is so where
// nothing that it depends on, and neither what decides whether it runs, comes from cells or rows
// that the functionality itself writes, from a sequence, the clock or chance, or is not understood.
std::vector<bool> find_repeatable(const Functionality& functionality,
                                  const find::Prepared& prepared, Dialect dialect);

}  // namespace heddle::failures

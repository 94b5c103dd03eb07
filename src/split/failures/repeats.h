// Which writes of a functionality leave nothing new when it is called once more with the same
// arguments.
#pragma once

#include <vector>

#include "find/terms/search_input.h"
#include "heddle/program.h"
#include "heddle/schema.h"

namespace heddle::failures {

// Both by number in the order of list_statements().
struct Repeats {
  // Whether the statement writes the same values to the same rows every time, whatever of the
  // functionality has been done before. That is so where nothing that it depends on, and neither
  // what decides whether it runs, comes from cells or rows that the functionality itself writes,
  // from a sequence, the clock or chance, or is not understood.
  std::vector<bool> repeatable;
  // Whether it runs in a second call when it would in a first one, and with the same values of the
  // client, such as ones that do not say whether the first call's row was there.
  std::vector<bool> alike;
};

Repeats find_repeats(const Functionality& functionality, const find::Prepared& prepared,
                     Dialect dialect);

}  // namespace heddle::failures

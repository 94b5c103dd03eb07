// All pairs of accesses of a trace to tables of one name, with one of them writing, that may be
// about one row or have a value of a key in common, whatever key that is: what MicroRacer calls
// random pairs, access by access.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "race/pairs/flow_accesses.h"
#include "race/pairs/held_locks.h"
#include "race/pairs/meeting.h"

namespace heddle::race {

struct MetAccesses {
  AccessPair accesses;  // the first one has the smaller number
  Meeting meeting;      // not met: only a value is the same
  bool is_one_store = false;
};

// In the order of their accesses, the same for each `jobs`. Accesses of one statement are no pair.
// What differs in a column that both bind to values, and that nobody changes, is not looked at:
// the number of pairs grows with how many requests meet, not with the square of all.
std::vector<MetAccesses> find_met_accesses(const FlowAccesses& all,
                                           const std::vector<std::string>& identities,
                                           std::size_t jobs);

// The same by looking at every pair: the slow oracle of tests.
std::vector<MetAccesses> find_met_accesses_slowly(const FlowAccesses& all,
                                                  const std::vector<std::string>& identities);

}  // namespace heddle::race

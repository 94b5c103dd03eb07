// The checks that Jepsen makes of counters, sets and banks, which ask for less than an order of all
// calls: the verdicts of recorded histories are usually those.
#pragma once

#include "heddle/linearizability.h"
#include "heddle/recorded_history.h"

namespace heddle {

// counter (jepsen.checker/counter): every read lies between what was certainly added when it was
// called and what may have been added when it returned. Amounts below zero lower both bounds.
// set (jepsen.checker/set): the last read holds every element whose addition was ok, and none that
// nobody tried to add. Where elements were removed, or nothing was read, the verdict is unknown.
// bank (jepsen.tests.bank): all reads that are ok have the same total; unless the first one has,
// none shows a negative balance.
// Other kinds of objects: unknown. REQUIRES: !find_flaw(history), !find_misfit(history).
InvariantAnswer check_jepsen_invariant(const ObjectHistory& history);

}  // namespace heddle

// Locks that a statement takes or gives back by name: advisory locks, LOCK TABLE, and those of the
// team. Locks on rows are told by accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/race.h"
#include "heddle/trace.h"
#include "race/accesses/access.h"

namespace heddle::race {

struct LockStep {
  std::uint64_t unit = 0;
  std::string name = {};       // equal for the same lock of one store; empty: not known which
  bool is_shared = false;      // several may hold it at once
  bool is_of_session = false;  // it outlasts the transaction
  bool is_given_back = false;  // here it ends
  bool is_own = false;         // of the team: the statement is about nothing else
};

// In the order of the text. A lock that was only tried for and not got is none.
std::vector<LockStep> read_lock_steps(const TraceStatement& statement, const ParsedText& parsed,
                                      const std::vector<RaceSettings::Lock>& own);

}  // namespace heddle::race

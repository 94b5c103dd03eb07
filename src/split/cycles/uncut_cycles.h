// What a program allows as a whole, so that it is not held against a cut.
#pragma once

#include <set>
#include <string>

#include "heddle/find.h"

namespace heddle::chopping {

struct UncutCycles {
  std::set<std::string> keys;  // cycle_key() by the numbers of the uncut program's statements
  std::string bound;           // FindReport::bound
};

// At the level of the options. Nothing is cut, so that nothing is guaranteed across transactions.
Result<UncutCycles> find_uncut_cycles(const Program& program, const FindOptions& options);

void for_each_cycle(const FindReport& report, const auto& see) {
  for (const FoundCause& cause : report.causes) {
    for (const FoundCycle& cycle : cause.cores) see(cycle);
  }
  for (const FoundCause& cause : report.causes) {
    for (const FoundCycle& cycle : cause.extensions) see(cycle);
  }
}

}  // namespace heddle::chopping

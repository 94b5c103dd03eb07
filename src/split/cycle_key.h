// Cycles as split compares them between searches.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/find.h"

namespace heddle::chopping {

// The cycle by its statements, whatever it begins with, as the uncut program numbers them.
// `origins`: ChoppedProgram's; empty: the cycle is the uncut program's.
std::string key_of(const FoundCycle& cycle,
                   const std::vector<std::vector<std::optional<std::size_t>>>& origins);

// Those of a kind come together, the gravest kind first, and cores before extensions.
template <class See>
void for_each_cycle(const FindReport& report, const See& see) {
  for (const FoundCause& cause : report.causes) {
    for (const FoundCycle& cycle : cause.cores) see(cycle);
  }
  for (const FoundCause& cause : report.causes) {
    for (const FoundCycle& cycle : cause.extensions) see(cycle);
  }
}

}  // namespace heddle::chopping

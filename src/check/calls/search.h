// The search for an order of any calls on any objects.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/calls/bounds.h"
#include "check/calls/object_calls.h"

namespace heddle {

struct SearchOutcome {
  Verdict verdict = Verdict::unknown;  // unknown: the meter says why
  // Places in CallProblem::calls: a witness, or the order that came furthest.
  std::vector<std::uint32_t> order;
  std::optional<std::uint32_t> stuck;  // violated: the call that must come next and cannot
};

SearchOutcome search_order(const CallProblem& problem, const CallModel& model, BoundMeter& meter);

}  // namespace heddle

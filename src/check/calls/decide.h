// One part of a check: the calls of one object, or of all of them together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/calls/bounds.h"
#include "check/calls/object_calls.h"

namespace heddle {

// What a part is decided with.
struct PartCheck {
  const ObjectHistory& history;
  const CallModel& model;
  CallOrder order;
  bool is_own_model;  // one that order_quickly may be asked about
};

struct PartOutcome {
  Verdict verdict = Verdict::unknown;
  std::vector<std::uint32_t> order;     // into ObjectHistory::calls, as in LinearizabilityPart
  std::optional<std::uint32_t> stuck;   // violated, if the search said so
  std::vector<std::uint32_t> culprits;  // violated, if a quick algorithm said so
};

// Decides the calls `indices`, taken as make_problem takes them.
PartOutcome decide_part(const PartCheck& check, std::span<const std::uint32_t> indices,
                        std::span<const CallUse> uses, Moment end, BoundMeter& meter);

// Fills in what explains that a part is violated: order, stuck and core.
void explain_violation(const PartCheck& check, std::span<const std::uint32_t> indices,
                       const PartOutcome& outcome, const LinearizabilityOptions& options,
                       LinearizabilityPart& part);

// The same for a key that texts are appended to: few calls, and what it holds before them. False
// where it cannot be explained so.
bool explain_appends(const PartCheck& check, std::span<const std::uint32_t> indices,
                     const std::vector<std::uint32_t>& culprits,
                     const LinearizabilityOptions& options, LinearizabilityPart& part);

}  // namespace heddle

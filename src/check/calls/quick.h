// Near-linear algorithms for objects whose values are written once. Each either gives a witness,
// which has been replayed, or evidence against every order, or does not know: then the search must
// decide. So a mistake in one of them costs time, never a wrong answer.
#pragma once

#include <cstdint>
#include <vector>

#include "check/calls/bounds.h"
#include "check/calls/object_calls.h"

namespace heddle {

struct QuickOutcome {
  Verdict verdict = Verdict::unknown;
  // Places in CallProblem::calls. Satisfied: a witness. Violated: calls that are likely to have no
  // order by themselves.
  std::vector<std::uint32_t> calls;
};

// REQUIRES: !find_misfit(*problem.history), problem.order is not sequential.
QuickOutcome order_quickly(const CallProblem& problem, BoundMeter& meter);

// Bytes that order_quickly takes at most for so many calls, beyond what it takes from the meter.
std::uint64_t quick_bytes(ObjectModel model, std::size_t calls);

QuickOutcome order_register(const CallProblem& problem);                // linear_register.cc
QuickOutcome order_queue(const CallProblem& problem);                   // linear_queue.cc
QuickOutcome order_stack(const CallProblem& problem);                   // linear_stack.cc
QuickOutcome order_priority_queue(const CallProblem& problem);          // linear_priority_queue.cc
QuickOutcome order_set(const CallProblem& problem, BoundMeter& meter);  // linear_set.cc

// Satisfied with `order` if it is a witness, which is tried, or unknown.
QuickOutcome confirmed(const CallProblem& problem, std::vector<std::uint32_t> order);
QuickOutcome violated(std::vector<std::uint32_t> culprits);

}  // namespace heddle

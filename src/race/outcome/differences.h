// Differences of a run to both serial orders, for people.
#pragma once

#include <vector>

#include "race/outcome/outcome_rules.h"
#include "race/outcome/outcome_tuple.h"
#include "race/outcome/tuple_comparison.h"
#include "race/outcome/verdict.h"

namespace heddle {

// What the run is held against; nullptr: nothing is known of it.
struct ComparedRuns {
  const OutcomeTuple* run = nullptr;
  const OutcomeTuple* first_then_second = nullptr;
  const OutcomeTuple* second_then_first = nullptr;
  const OutcomeTuple* other_alone = nullptr;  // of which rows only are compared
};

// Answers first, then tables; one difference for each field and for each table.
std::vector<RaceDifference> list_differences(const ComparedRuns& runs, const OutcomeRules& rules,
                                             const ComparedPart& part);

}  // namespace heddle

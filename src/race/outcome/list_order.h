// Lists in answers whose elements come in any order, because no statement asked for one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "race/outcome/chance.h"
#include "race/outcome/outcome_rules.h"
#include "race/outcome/outcome_tuple.h"

namespace heddle {

// The lists, as "A: $.lines[]", that have equal elements in equal runs, but in another order.
std::set<std::string> find_unordered_lists(const std::vector<EqualRuns>& pairs,
                                           const OutcomeRules& rules);

// With one row for each element of these lists, whichever its place in the list is.
OutcomeTuple with_unordered_lists(OutcomeTuple tuple, const std::set<std::string>& lists);

}  // namespace heddle

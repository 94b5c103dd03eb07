// Where the values that a store or a program makes up turn up again: the number of an order in the
// answer to its request, and in a table of another store. They must be renamed alike.
#pragma once

#include <vector>

#include "race/outcome/outcome_rules.h"
#include "race/outcome/outcome_tuple.h"

namespace heddle {

// Gives each place, whose values in each of the runs are names of one domain, that domain. Values
// that are small numbers are equal by chance too easily: there the name of the place must say so,
// by being an identity ("id", "order_no"), or what the table of the names is called ("order").
void learn_name_flows(const std::vector<const OutcomeTuple*>& runs, OutcomeRules& rules);

}  // namespace heddle

// What differs between two runs of one serial order, and so by chance: it must not be taken for the
// work of a race.
#pragma once

#include <string>
#include <vector>

#include "race/outcome/outcome_rules.h"
#include "race/outcome/outcome_tuple.h"

namespace heddle {

// Two runs that must be equal.
struct EqualRuns {
  const OutcomeTuple* one = nullptr;
  const OutcomeTuple* other = nullptr;
};

// Adds a rule for each place that differs and may, as narrow as can be: a part of a text, else the
// whole value. Returns what differs and must not, in words: the number of rows, a status, a short
// value in a table that says something.
std::vector<std::string> learn_chance(const std::vector<EqualRuns>& pairs, OutcomeRules& rules);

}  // namespace heddle

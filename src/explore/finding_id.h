// Stable ids of findings, by which they are known again in later runs and on other machines.
//
// An id is the first 12 hexadecimal digits of a hash (FNV-1a, 64 bits) of what the finding is: its
// kind, effect, whether it is a boundary problem, the unit, the isolation level without the name of
// the product before it; of each session on the cycle its name and setup block; of each step on the
// cycle its SQL, in the scenario's order; the tables on whose rows these meet; the invariants that
// do not hold; and, where no run has shown it, that. SQL counts without comments, white space and a
// final semicolon. Where no cycle is known all sessions and steps of the schedule count. Names of
// files and steps, other sessions, keys and values of rows, and the schedule do not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/finding.h"

namespace heddle {

// SQL without what does not change its meaning: one blank between two tokens, no comments.
std::string bare_sql(std::string_view sql);

// Gives each finding of one scenario and level its id. Findings that differ only in the keys of
// their rows are counted in the order of these, so that ids are unique.
void assign_ids(std::vector<Finding>& findings);

}  // namespace heddle

// What a whole trace tells of single rows: a statement that names a row by one key meets another
// that names it by a second one, and misses one that names another row so.
#pragma once

#include "race/pairs/flow_accesses.h"

namespace heddle::race {

// Completes the rows that accesses look at by what other statements have shown of them. Only values
// of columns that nothing in the trace changes count: others are what they were for a moment.
void apply_row_facts(const Trace& trace, const RaceSettings& settings, FlowAccesses& all);

}  // namespace heddle::race

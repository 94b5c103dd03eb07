// Requests that a service answers from its memory, which it fills from a store on its own.
//
// A service that asks for the news of a table again and again, and answers a request without any
// statement, answers from what it has read before, as far as anybody can tell from outside. That is
// a read of those rows of the table in which a value of the request stands.
#pragma once

#include "race/pairs/flow_accesses.h"

namespace heddle::race {

// Adds such reads, one for each polled table, behind the accesses that there are. Their units are
// those of the requests.
void add_memory_reads(const Trace& trace, const Flows& flows, const RaceSettings& settings,
                      FlowAccesses& all);

}  // namespace heddle::race

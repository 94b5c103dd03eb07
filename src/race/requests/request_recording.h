// What a finding keeps of the recording, so that its requests can be sent again where the trace is
// gone, or has become another one.
#pragma once

#include "heddle/race_finding.h"
#include "heddle/result.h"
#include "heddle/trace.h"
#include "race/requests/dependencies.h"
#include "race/requests/pair_plan.h"

namespace heddle {

// The requests of the plan, the statements of its two, and what is known of their values.
// REQUIRES: the plan is one of the trace, and has no obstacle.
RaceRecording record_requests(const Trace& trace, const RequestDependencies& dependencies,
                              const PairPlan& plan);

// What was known of the requests, for a replay of the recording's trace. Errors: bad_input where
// the parts do not fit together, as in a file that somebody has changed.
Result<RequestDependencies> recorded_dependencies(const RaceRecording& recording);

}  // namespace heddle

// From replayed candidates to what is told of them.
#pragma once

#include "heddle/race_finding.h"
#include "race/replay/trace_replay.h"

namespace heddle {

// REQUIRES: the replay is of the candidate, and both are of the trace.
RaceFinding race_finding(const Config& config, const Trace& trace, const RaceCandidate& candidate,
                         const RaceReplay& replay);

// All of a trace, the worst first; equal ones as they were ranked.
RaceReport race_report(const Config& config, const Trace& trace, const RaceCandidates& candidates,
                       const TraceReplay& replay);

}  // namespace heddle

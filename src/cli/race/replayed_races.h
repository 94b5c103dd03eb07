// heddle race --replay: what came of the candidates on the running system.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command.h"
#include "cli/output/output.h"
#include "frontend/config/config.h"
#include "heddle/race.h"
#include "heddle/result.h"

namespace heddle {

// The options of a replay.
std::vector<OptionDefinition> replay_options();

// Replays the candidates and writes the report. Errors: bad_input, environment; interrupted.
Result<ExitCode> report_replayed_races(const Arguments& arguments, const Config& config,
                                       const Trace& trace, const RaceCandidates& candidates,
                                       Output& output);

}  // namespace heddle

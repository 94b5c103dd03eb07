// From what a command found to the exit status of the process.
#pragma once

#include "cli/command.h"
#include "heddle/explore.h"
#include "heddle/replay.h"
#include "heddle/result.h"

namespace heddle {

ExitCode exit_code_of(Verdict verdict);
ExitCode exit_code_of(const Diagnostic& diagnostic);
// A level counts as violated by findings that are not suppressed; without any it is in order, or
// unknown where a bound was hit.
ExitCode exit_code_of(const LevelReport& level);
// A violated level outweighs one that a bound left open.
ExitCode exit_code_of(const ExploreReport& report);

// The one of the two that a script must hear of: interrupted, trouble, found, unknown, nothing.
ExitCode graver(ExitCode a, ExitCode b);

}  // namespace heddle

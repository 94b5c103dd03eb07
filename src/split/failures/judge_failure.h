// Whether what a failed run left is what should have been left.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/find.h"
#include "heddle/result.h"
#include "replay/runner.h"
#include "split/failures/rehearsal.h"
#include "split/failures/staged_calls.h"

namespace heddle::failures {

// Runs the calls of the failure, and those that are right, on the runner's database. Error: the
// store cannot go on.
Result<FoundExecution> judge_failure(const Rehearsal& rehearsal, const PlacedFailure& placed,
                                     const ChoppedProgram& chopped, const StagedCalls& staged,
                                     Runner& runner, const std::string& store);

}  // namespace heddle::failures

// The calls of a failure as sessions of a scenario: those that fail, and those that say what should
// have been left.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "find/realize/realize.h"
#include "heddle/find.h"
#include "heddle/result.h"
#include "heddle/scenario.h"
#include "split/failures/rehearsal.h"

namespace heddle::failures {

// Sessions by number; each is one call.
struct StagedCalls {
  Scenario scenario;
  std::size_t stopped = 0;
  std::size_t whole = 1;               // the functionality to its end, or a second time
  std::optional<std::size_t> reader;   // who reads in between
  std::vector<std::size_t> undone_by;  // for each of Rehearsal::undone_by()
};

// `options`: whose invariants are asked, and whose services share no transaction. Error: the
// scenario cannot be written, or not be read.
Result<StagedCalls> stage_calls(const Rehearsal& rehearsal, const find::Realization& made,
                                std::size_t rounds, const ExecuteOptions& options);

}  // namespace heddle::failures

// What a user gives to undo what sub-transactions did.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "heddle/program.h"
#include "heddle/result.h"
#include "heddle/split.h"

namespace heddle::failures {

struct Compensation {
  Functionality routine;
  std::vector<std::size_t> parameters;  // of the functionality, for each of the routine's
};

// By the sub-transaction that they undo.
using Compensations = std::map<SplitPart, Compensation>;

// Reads a file of routines compensate_FUNCTIONALITY_NUMBER. Errors: as find_failures().
Result<Compensations> read_compensations(const SourceText& file, const ChoppedProgram& chopped,
                                         const Cut& cut);

}  // namespace heddle::failures

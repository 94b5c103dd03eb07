// What --needs, --on and --failures say of each of several cuts.
#pragma once

#include <string>
#include <vector>

#include "cli/options/deadline.h"
#include "cli/options/options.h"
#include "cli/program_files.h"
#include "heddle/cut_search.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

// Whether one of these options was given.
bool examines_cuts(const Arguments& arguments);

// Cuts to which something is added.
struct ExaminedCuts {
  std::vector<ScoredCut>& cuts;
  std::string& bound;  // which limit was hit
  SavedRuns& runs;
};

// Examines the cuts one after the other, as if each were the only one, and adds to their scores
// what that says. Errors: as split_program(), execute_split() and find_failures(); what was
// examined before stays.
Result<void> examine_cuts(const Arguments& arguments, const Program& program,
                          const SplitOptions& options, const CommandDeadline& deadline,
                          const ExaminedCuts& examined);

}  // namespace heddle

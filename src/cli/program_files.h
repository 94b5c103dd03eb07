// Files that commands about programs take, and findings that they leave.
#pragma once

#include <string>

#include "cli/output/save_directory.h"
#include "heddle/constraints.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

// Errors: bad_input with the place.
Result<Constraints> read_constraints(const std::string& path);

Result<SourceText> read_source(const std::string& path);

// Each run of an executed cause that shows something: a finding for heddle replay, and the same as
// a spec file. Nothing where no directory is open.
Result<void> save_findings(const FoundExecution& execution, SaveDirectory& directory);

}  // namespace heddle

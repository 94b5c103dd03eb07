// What a command's answer is worth when not all of the program was read.
#pragma once

#include <optional>

#include "cli/options/command.h"
#include "heddle/coverage.h"
#include "heddle/result.h"

namespace heddle {

// Where nothing was found, unknown if a place that uses a store was not read.
ExitCode exit_code_of(const Coverage& coverage);

// What --strict says: the first thing that was not read exactly; none: all was.
std::optional<Diagnostic> refuse_inexact(const Coverage& coverage);

}  // namespace heddle

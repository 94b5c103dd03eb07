// heddle record --init: the heddle.yaml that a team begins with.
#pragma once

#include <string>

#include "cli/options/command.h"
#include "heddle/result.h"

namespace heddle {

// Writes it to that path, where nothing is yet; "-" is standard output. Errors: bad_input where
// there is something, environment where it cannot be written.
Result<ExitCode> write_first_config(const std::string& path);

}  // namespace heddle

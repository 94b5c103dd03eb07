// The commands of heddle.yaml.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "frontend/config/config.h"
#include "heddle/result.h"

namespace heddle {

// The command of those words, to run in the folder of the file. Errors: bad_input with the place of
// a program that is not there.
Result<Command> system_command(const Config& config, const std::vector<Setting>& words,
                               std::vector<std::string> environment);

}  // namespace heddle

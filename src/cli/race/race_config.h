// What heddle.yaml says to heddle race.
#pragma once

#include <optional>
#include <string>

#include "frontend/config/config.h"
#include "heddle/result.h"

namespace heddle {

// The sections of the system and of its races. `is_needed`: without the file nothing can be done;
// otherwise none is fine where it is not there. Errors: bad_input with the file's place.
Result<std::optional<Config>> read_race_config(const std::string& path, bool is_needed);

}  // namespace heddle

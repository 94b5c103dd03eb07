// What heddle.yaml says to heddle race.
#pragma once

#include <string>

#include "heddle/race.h"
#include "heddle/result.h"

namespace heddle {

// Aliases of stores. `is_named`: the user has named the file; otherwise it need not be there.
// Errors: bad_input with the file's place.
Result<RaceSettings> read_race_settings(const std::string& path, bool is_named);

}  // namespace heddle

// What the search for races takes from heddle.yaml.
#pragma once

#include "frontend/config/config.h"
#include "heddle/race.h"

namespace heddle {

// REQUIRES: `config` was read by parse_race_config().
RaceSettings race_settings(const Config& config);

}  // namespace heddle

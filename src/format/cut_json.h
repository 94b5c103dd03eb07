// The JSON of a cut. Includes nlohmann/json, so only source files of this folder include it.
#pragma once

#include "format/json/json.h"
#include "heddle/split.h"

namespace heddle {

// {"M1": ["account"], "M2": ["wallet"]}
Json write_cut(const Cut& cut);

}  // namespace heddle

// How much of a program was read, as a part of other documents; docs/formats/coverage.md describes
// it.
#pragma once

#include "format/json/json.h"
#include "heddle/coverage.h"

namespace heddle {

// Null where nobody has looked.
Json coverage_json(const Coverage& coverage);

}  // namespace heddle

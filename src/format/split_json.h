// What a cut adds as a JSON document; docs/formats/split.md describes it.
#pragma once

#include <string>

#include "heddle/split.h"

namespace heddle {

// The document "heddle": "split/1".
std::string to_json(const SplitReport& report);

}  // namespace heddle

// What a cut adds as a JSON document; docs/formats/split.md describes it.
#pragma once

#include <string>

#include "heddle/split.h"
#include "heddle/split_failures.h"

namespace heddle {

// The document "heddle": "split/1".
// `failures`: null where nobody asked for them.
std::string to_json(const SplitReport& report, const FailureReport* failures = nullptr);

}  // namespace heddle

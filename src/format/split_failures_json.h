// Failures between sub-transactions as JSON: the member `failures` of docs/formats/split.md.
#pragma once

#include "format/json/json.h"
#include "heddle/split_failures.h"

namespace heddle {

Json failures_json(const FailureReport& report, const SplitReport& split);

}  // namespace heddle

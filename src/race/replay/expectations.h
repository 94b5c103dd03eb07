// What heddle.yaml expects of the answers to two requests.
#pragma once

#include <vector>

#include "frontend/config/config.h"
#include "race/outcome/verdict.h"

namespace heddle {

// The fields of `expect` whose endpoints these requests are of.
std::vector<ExpectedField> expected_fields(const Config& config,
                                           const std::vector<RacedRequest>& requests);

}  // namespace heddle

// What an answer means to whoever asked, apart from what it says in particular.
#pragma once

#include <string>
#include <vector>

#include "race/outcome/observed_run.h"
#include "race/outcome/verdict.h"

namespace heddle {

// Whether the request was refused or went wrong: a status of 400 and more, no answer, or a body
// that says so itself ("success": false, "error": "...").
bool is_error(const ObservedResponse& response);

// A status of 500 and more, or no answer: the service failed, and refused nothing.
bool is_failure(const ObservedResponse& response);

// The answer to a request; nullptr where the run has none.
const ObservedResponse* find_response(const RacedRun& run, std::uint64_t request);

// Whether one of the patterns of endpoints has the request; a * stands for a part between slashes.
bool is_of_endpoint(const RacedRequest& request, const std::vector<std::string>& patterns);

// The fields that are not what they should be, in words. Errors are not expected to have them.
std::vector<std::string> broken_fields(const RacedRun& run, const JudgeSettings& settings,
                                       const std::vector<RacedRequest>& requests);

}  // namespace heddle

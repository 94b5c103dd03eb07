// Whether a run gave what was recorded: the same answers and statements, but for values that are
// new each time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/race.h"
#include "heddle/trace.h"
#include "race/outcome/observed_run.h"
#include "race/requests/http_texts.h"
#include "race/turns/turn_controller.h"

namespace heddle {

// The answer to the request with its body as it was before it was compressed, where it was.
ObservedResponse observed_response(std::uint64_t unit, const HttpAnswer& answer);

// Where an answer is not what was recorded: "POST /orders was answered with 409, not 201". Empty:
// nowhere.
std::string answer_difference(const Trace& trace, std::uint64_t unit, const HttpAnswer& answer);

// The same of both requests of a pair.
std::string answers_difference(const Trace& trace, const RacePair& pair, const RacedRun& observed);

// The same of both requests, in the recorded order, and of the statements of each.
std::string control_difference(const Trace& trace, const RacePair& pair, const RacedRun& observed,
                               const RunRecord& record);

// Where a repeated run is not what the first one was; what tells times, and is new each time,
// aside. `before`: the rows at which a run began that does not say so itself.
std::string repetition_difference(const std::vector<ObservedStore>& before, const RacedRun& first,
                                  const RacedRun& second);

}  // namespace heddle

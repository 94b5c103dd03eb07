// The document of candidates: "heddle": "race/1" (docs/formats/race.md).
#pragma once

#include <string>

#include "format/json/json.h"
#include "heddle/race.h"
#include "heddle/trace.h"

namespace heddle {

struct RaceDocument {
  std::string file;  // of the trace
  const Trace& trace;
};

// One of `left_out`.
Json left_out_json(const LeftOutPair& pair);

// REQUIRES: the units are those of the document's trace.
std::string to_json(const RaceCandidates& found, const RaceDocument& document);

}  // namespace heddle

// The document of candidates: "heddle": "race/1" (docs/formats/race.md).
#pragma once

#include <string>

#include "heddle/race.h"
#include "heddle/trace.h"

namespace heddle {

struct RaceDocument {
  std::string file;  // of the trace
  const Trace& trace;
};

// REQUIRES: the units are those of the document's trace.
std::string to_json(const RaceCandidates& found, const RaceDocument& document);

}  // namespace heddle

// Anomalies of programs as JSON documents; docs/formats/anomalies.md describes them.
#pragma once

#include <string>

#include "heddle/find.h"
#include "heddle/program_repair.h"

namespace heddle {

// What was found, with the statements and places that cause it. `repairs`: null where nobody looked
// for some.
std::string to_json(const FindReport& report, const Program& program,
                    const ProgramRepairReport* repairs);
// The document "heddle": "removed-anomalies/1" (docs/formats/anomalies.md).
std::string to_json(const RemovedReport& report, const Program& program);

}  // namespace heddle

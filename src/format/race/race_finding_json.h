// Findings of races as JSON, alone and as a part of the document of a whole replay
// (docs/formats/race.md).
#pragma once

#include "format/json/json.h"
#include "heddle/race_finding.h"

namespace heddle {

// What the member "heddle" says.
constexpr const char* kRaceFindingDocument = "race-finding/1";

// A conflict of a pair, alike in candidates and findings.
Json race_conflict_json(const RaceConflict& conflict);

Json race_finding_json(const RaceFinding& finding);

// The paper's table, each of its columns a member.
Json race_table_json(const RaceTable& table);

// What replaying a trace adds to the document of its candidates: "findings", "counts", "unseen".
void add_replay(const RaceReport& report, Json& document);

// The whole document, "race/1".
Json race_report_json(const RaceReport& report);

}  // namespace heddle

// What a finding of a race keeps of the recording, as JSON (docs/formats/race.md). The lines of the
// trace are those of docs/formats/trace.md.
#pragma once

#include "format/json/json.h"
#include "format/json/json_reader.h"
#include "heddle/race_finding.h"

namespace heddle {

Json race_recording_json(const RaceRecording& recording);

// Trouble with the values is the reader's.
RaceRecording read_race_recording(const JsonPlace& place);

}  // namespace heddle

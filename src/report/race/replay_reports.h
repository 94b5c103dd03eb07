// What replaying the races of a trace gave, for people and for other programs.
#pragma once

#include <string>

#include "heddle/race_finding.h"
#include "report/race/race_diagram.h"
#include "report/text/text_options.h"

namespace heddle {

// A head line, the paper's table, the confirmed races and their like with their diagrams, a line
// for each of the others, and how many there are of each result.
std::string render_text(const RaceReport& report, const TextOptions& options,
                        ShownSteps shown = ShownSteps::that_matter);

// The document race/1 (docs/formats/race.md).
std::string render_json(const RaceReport& report);

// One finding, of whatever result.
std::string render_text(const RaceFinding& finding, const TextOptions& options,
                        ShownSteps shown = ShownSteps::that_matter);

}  // namespace heddle

// A run: records, events, final tables, invariants.
#pragma once

#include "format/json/json.h"
#include "format/json/json_reader.h"
#include "format/scenario_json.h"
#include "heddle/outcome.h"

namespace heddle {

Json write_run(const Run& run, const ScenarioNames& names);
Run read_run(const JsonPlace& place, const ScenarioNames& names);

}  // namespace heddle

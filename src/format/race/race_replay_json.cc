// What running a finding of a race again gave.
#include <string>

#include "format/json/json.h"
#include "heddle/race_finding.h"

namespace heddle {

std::string to_json(const RaceReplayReport& report, const RaceFinding& finding) {
  return print_json(
      {{"heddle", "race-replay/1"},
       {"finding", text_json(finding.id)},
       {"result", slug(finding.result)},
       {"pattern", slug(finding.pattern)},
       {"first_endpoint", text_json(finding.first_endpoint)},
       {"second_endpoint", text_json(finding.second_endpoint)},
       {"schedule", text_json(finding.schedule)},
       {"system", text_json(report.system)},
       {"restored", text_json(report.restored)},
       {"runs", report.runs},
       {"confirmed", report.confirmed},
       {"verdict", to_string(report.verdict)},
       {"obstacle", report.obstacle.empty() ? Json(nullptr) : text_json(report.obstacle)},
       {"differences", texts_json(report.differences)}});
}

}  // namespace heddle

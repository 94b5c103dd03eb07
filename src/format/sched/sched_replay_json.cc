// What running a finding of a thread program again gave.
#include <string>

#include "format/json/json.h"
#include "heddle/sched_finding.h"

namespace heddle {

std::string to_json(const SchedReplayReport& report, const SchedFinding& finding) {
  return print_json(
      {{"heddle", "sched-replay/1"},
       {"test", text_json(finding.test)},
       {"oracle", text_json(finding.oracle)},
       {"message", text_json(finding.message)},
       {"pattern", text_json(finding.pattern)},
       {"token", text_json(finding.token)},
       {"program", text_json(report.program)},
       {"runs", report.runs},
       {"confirmed", report.confirmed},
       {"changed", report.is_changed},
       {"verdict", to_string(report.verdict)},
       {"obstacle", report.obstacle.empty() ? Json(nullptr) : text_json(report.obstacle)},
       {"differences", texts_json(report.differences)}});
}

}  // namespace heddle

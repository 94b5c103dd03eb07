#include <string>
#include <vector>

#include "base/printable.h"
#include "report/race/replay_reports.h"
#include "report/race/replay_summary.h"

namespace heddle {

namespace {

// The requests one after the other: what overlaps is for heddle replay to bring about.
std::string script_of(const RaceFinding& finding) {
  std::string text = "#!/bin/sh\n# " + race_title(finding) + "\n";
  if (!finding.schedule.empty()) text += "# schedule: " + printable(finding.schedule) + "\n";
  for (const std::string& command : finding.requests) text += command + "\n";
  return text;
}

}  // namespace

std::vector<KeptFile> kept_files(const RaceFinding& finding) {
  std::vector<KeptFile> files = {{".json", to_json(finding)},
                                 {".txt", render_text(finding, TextOptions{}, ShownSteps::all)}};
  if (!finding.steps.empty()) files.push_back({".svg", render_svg(finding)});
  if (!finding.requests.empty()) files.push_back({".sh", script_of(finding)});
  return files;
}

}  // namespace heddle

#include "base/printable.h"
#include "report/diagram/diagram.h"
#include "report/sched/sched_diagram.h"
#include "report/sched/sched_reports.h"
#include "report/sched/sched_summary.h"
#include "report/text/layout.h"

namespace heddle {

std::string render_text(const SchedFinding& finding, const TextOptions& options) {
  std::string text = paint("heddle: " + sched_title(finding), TextStyle::heading, options) + "\n";
  if (finding.is_unsteady) {
    return text +
           "  and not again under the same schedule: the test depends on something that is not "
           "controlled\n";
  }
  if (finding.place.line != 0) {
    text += "  at " + place_text(finding.place) + ": " + finding.place.source + "\n";
  }
  for (const std::string& line : finding.waiting) text += "  " + line + "\n";
  if (!finding.commands.empty()) text += "\n" + finding.commands;
  text += "\n" + render_diagram_text(draw(finding).diagram, options);
  for (const auto& [where, source] : source_lines(finding)) text += where + ": " + source + "\n";
  text += "\n";
  for (const std::string& line : why_lines(finding)) text += line + "\n";
  text += found_text(finding) + "\nagain: " + finding.again + "\n";
  if (!finding.debugger.empty()) text += "debugger: " + finding.debugger + "\n";
  if (!finding.output.empty()) text += "it wrote:\n";
  for (const SchedOutput& output : finding.output) {
    text += (output.thread ? "  " : "") + output_text(output) + "\n";
  }
  return text;
}

}  // namespace heddle

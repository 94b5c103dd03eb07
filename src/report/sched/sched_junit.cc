#include <string>

#include "base/printable.h"
#include "report/sched/sched_reports.h"
#include "report/sched/sched_summary.h"

namespace heddle {

TestCase case_of(const SchedFinding& finding) {
  return {finding.test, CaseOutcome::failure,
          finding.pattern.empty() ? finding.oracle : finding.pattern,
          printable(sched_title(finding)), render_text(finding, TextOptions{})};
}

}  // namespace heddle

// What is said of the anomalies of a program before any of them is told in full; every format shows
// the same.
#pragma once

#include <string>
#include <vector>

#include "report/find/cause_summary.h"

namespace heddle {

// Texts are not printable() yet.
struct FindSummary {
  std::vector<std::string> coverage;  // how much of the program was read; indented
  std::vector<std::string> head;      // at which levels, with which constraints
  std::vector<CauseRow> rows;         // of all causes, in the order of the report
  std::vector<std::string> counts;
  // Why what is neither confirmed nor refuted is not, and why something is suppressed.
  std::vector<CauseReason> reasons;
};

FindSummary summarize(const FindReport& report, const Program& program, const CauseText& words);

}  // namespace heddle

// What came of running a finding again, alike for all kinds of findings.
#pragma once

#include <string>
#include <string_view>

#include "heddle/replayed_runs.h"
#include "report/text/junit_xml.h"

namespace heddle {

// "confirmed 9/10 on PostgreSQL 15.4: lost update by r1 r2 w1 w2", with the word of the runs or
// another. REQUIRES: `where` and `what` are printable.
std::string runs_head(std::string_view word, const ReplayedRuns& runs, const std::string& where,
                      const std::string& what);

// The test that a replay is: it passes where no run shows the finding, fails where all do, and is
// an error otherwise. The case has the name and the texts already.
void judge_case(const ReplayedRuns& runs, std::string_view failure, TestCase& test);

}  // namespace heddle

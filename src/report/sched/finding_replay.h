// What running a finding of a thread program again gave.
#pragma once

#include <string>

#include "heddle/sched_finding.h"
#include "report/text/junit_xml.h"
#include "report/text/text_options.h"

namespace heddle {

// "confirmed 10/10 by ./lost: lost update, assertion failed: an increment is lost".
std::string replay_head(const SchedReplayReport& report, const SchedFinding& finding);

// What is drawn of it: what was seen now, else what was saved.
const SchedFinding& shown_finding(const SchedReplayReport& report, const SchedFinding& finding);

// The head, what other runs came to, and the finding.
std::string render_text(const SchedReplayReport& report, const SchedFinding& finding,
                        const TextOptions& options);

// What its case in JUnit's XML is called.
std::string case_name(const SchedFinding& finding);

// JUnit: a suite of one case.
TestSuite replay_suite(const SchedReplayReport& report, const SchedFinding& finding);

}  // namespace heddle

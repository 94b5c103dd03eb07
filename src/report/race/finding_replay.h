// What running a finding of a race again gave.
#pragma once

#include <string>

#include "heddle/race_finding.h"
#include "report/text/junit_xml.h"
#include "report/text/text_options.h"

namespace heddle {

// "confirmed 10/10 on the system of heddle.yaml: lost update, two POST orders/orders, by A until
// UPDATE ...; B; A".
std::string replay_head(const RaceReplayReport& report, const RaceFinding& finding);

// The head, and what the other runs came out as.
std::string render_text(const RaceReplayReport& report, const RaceFinding& finding,
                        const TextOptions& options);

// What its case in JUnit's XML is called.
std::string case_name(const RaceFinding& finding);

// JUnit: a suite of one case. `is_failing`: that every run showed it is a failure.
TestSuite replay_suite(const RaceReplayReport& report, const RaceFinding& finding, bool is_failing);

}  // namespace heddle

// Files with what came of tests, in the folder that HEDDLE_SCHED_REPORT names: of each test that
// fails <test>.json, .svg and .html, and <program>.junit.xml of all tests so far. Without it
// nothing here does anything.
#pragma once

#include <string>

#include "heddle/sched.h"
#include "heddle/sched_finding.h"

namespace heddle::sched::runtime {

// What is told of the test that runs.
void keep_finding(const SchedFinding& finding);

// A token was executed: execution.json says what came of it, also where nothing failed.
void keep_execution(const std::string& token, bool is_changed);

// The test is over.
void write_reports(const std::string& test, const Answer& answer);

// The test is over, and nobody is to be told of it.
void forget_reports();

}  // namespace heddle::sched::runtime

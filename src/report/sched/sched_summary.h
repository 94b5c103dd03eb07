// What is said of a finding of a thread program, in sentences that all formats share.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "heddle/sched_finding.h"

namespace heddle {

// "lost.cc:9"; the whole path is in the data.
std::string place_text(const SchedPlace& place);

// "assertion failed: an increment is lost".
std::string sched_title(const SchedFinding& finding);

// Whether the step is one of the pair that decides.
bool is_deciding(const SchedFinding& finding, std::size_t step);

// "thread 0 reads 0 (A) at lost.cc:9 (step 3) before thread 1 writes 1 (A) at lost.cc:8 (step 5);
// the other way round it passes". REQUIRES: there is a pair.
std::string pair_text(const SchedFinding& finding);

// Why it fails, each in a line: its pattern, the pair that decides, from where on nothing helps.
std::vector<std::string> why_lines(const SchedFinding& finding);

// "found in execution 4; one departure from running each thread until it waits".
std::string found_text(const SchedFinding& finding);

// The places that the steps name, each once, and what stands there.
std::vector<std::pair<std::string, std::string>> source_lines(const SchedFinding& finding);

// "thread 0: hello".
std::string output_text(const SchedOutput& output);

}  // namespace heddle

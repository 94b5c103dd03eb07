// How much of a program was read: what the readers made of it, held against the marks that the text
// of all files has.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "heddle/coverage.h"
#include "heddle/program.h"

namespace heddle::marks {

// `paths`: files and folders that the program was read from, as the user named them. Files in any
// language are looked at, one after the other, so that the memory is that of the largest one and of
// the places. What cannot be opened is left to the readers to complain of.
// What is in `left_out` counts for nothing.
Coverage measure_coverage(const Program& program, const std::vector<std::string>& paths,
                          const std::set<std::string>& left_out = {});

}  // namespace heddle::marks

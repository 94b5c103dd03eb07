// How much of a program was read: what the readers made of it, held against the marks that the text
// of all files has.
#pragma once

#include <string>
#include <vector>

#include "heddle/coverage.h"
#include "heddle/program.h"

namespace heddle::marks {

// `files`: all that the program was read from, and all in other languages beside them. They are
// looked at one after the other, so that the memory is that of the largest one and of the places.
// What cannot be opened is left to the readers to complain of. `followed`: calls of clients of
// Redis that the reader of Java has followed.
Coverage measure_coverage(const Program& program, const std::vector<std::string>& files,
                          const std::vector<SourceLocation>& followed = {});

}  // namespace heddle::marks

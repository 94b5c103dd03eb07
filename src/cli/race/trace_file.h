// The trace that a command is given.
#pragma once

#include <string>

#include "heddle/result.h"
#include "heddle/trace.h"

namespace heddle {

// Compressed or not, read to its last whole line; where something stands behind that, a remark of
// the trace says so. Errors: the file cannot be read, or a line of it is none of a trace.
Result<Trace> read_trace_file(const std::string& path);

}  // namespace heddle

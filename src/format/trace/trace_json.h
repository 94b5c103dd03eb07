// Lines of a trace as values of any JSON document, such as a finding that keeps some of them.
#pragma once

#include "format/json/json_reader.h"
#include "heddle/trace.h"

namespace heddle {

// Trouble with the values is the reader's.
TraceHead read_trace_head(const JsonPlace& line);
// Any line but the first. REQUIRES: the trace has its head.
void add_trace_line(const JsonPlace& line, Trace& trace);

}  // namespace heddle

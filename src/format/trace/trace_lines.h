// The lines of a trace file: one JSON object each. Written by hand, because a busy system says a
// lot; read by the library. docs/formats/trace.md describes them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "heddle/result.h"
#include "heddle/trace.h"

namespace heddle {

inline constexpr std::string_view kTraceVersion = "trace/1";

// Each with its line's end.
std::string trace_line(const TraceHead& head);
std::string trace_line(const TraceStatement& statement);
std::string trace_line(const TraceRequest& request);
std::string trace_line(const TraceConnection& connection);
std::string trace_line(const TraceCatalogue& catalogue);
std::string trace_line(const TraceBackground& background);
std::string trace_line(const TraceEnd& end);
std::string trace_remark_line(std::string_view remark);

std::string_view to_string(FlowEvidence evidence);

// The trace of the text of a file; what stands behind its last line's end was cut off, and does not
// count. Errors: bad_input with the line.
Result<Trace> parse_trace(std::string_view text, const std::string& file);

}  // namespace heddle

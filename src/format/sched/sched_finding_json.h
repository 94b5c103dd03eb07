// Findings of thread programs as JSON (docs/formats/sched.md).
#pragma once

namespace heddle {

// What the member "heddle" says.
constexpr const char* kSchedFindingDocument = "sched-finding/1";
constexpr const char* kSchedExecutionDocument = "sched-execution/1";

}  // namespace heddle

// An execution that failed, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/sched_finding.h"
#include "sched/explain/explanation.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

// An execution that failed, and all that is told of it.
struct ToldExecution {
  const Execution& execution;  // recorded
  const Explanation& why;
  std::string token;
  std::uint64_t found_in = 0;  // executions
  std::string written;         // by the program
};

// Where a debugger is to stop, and by how many functions that were inlined there it is to go back
// to the program's own.
struct ShownStop {
  DebuggerStop stop;
  std::size_t below = 0;
};

// None: nothing decides, or it is never made.
std::optional<ShownStop> shown_stop(const Explanation& why);

SchedFinding finding_of(const Test& test, const ToldExecution& told);

}  // namespace heddle::sched::runtime

// An execution that failed, as data.
#pragma once

#include <cstdint>
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

SchedFinding finding_of(const Test& test, const ToldExecution& told);

}  // namespace heddle::sched::runtime

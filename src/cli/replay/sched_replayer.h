// Findings of thread programs as heddle replay runs them: the program is started with the token.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command.h"
#include "cli/options/options.h"
#include "heddle/result.h"
#include "heddle/sched_finding.h"

namespace heddle {

// The options of heddle replay that are about thread programs.
std::vector<OptionDefinition> sched_replayer_options();

class SchedReplayer {
 public:
  explicit SchedReplayer(const Arguments& arguments) : arguments_(arguments) {}

  // Errors: bad_input where there is no program; environment; interrupted.
  Result<SchedReplayReport> replay(const SchedFinding& finding) const;

 private:
  const Arguments& arguments_;
};

}  // namespace heddle

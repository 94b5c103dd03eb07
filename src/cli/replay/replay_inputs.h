// What heddle replay is given: files of findings, and folders of such files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/finding.h"
#include "heddle/race_finding.h"
#include "heddle/result.h"
#include "heddle/sched_finding.h"

namespace heddle {

// A file with one of these.
struct ReplayInput {
  std::string file;
  std::optional<Finding> finding = {};
  std::optional<RaceFinding> race = {};
  std::optional<SchedFinding> threads = {};
  std::optional<Diagnostic> trouble = {};  // it could not be read
};

struct ReplayInputs {
  std::vector<ReplayInput> files;
  bool are_several = false;  // also where a folder has only one
};

// In the order of the inputs, of a folder all that ends in .json, by their names. Errors: a folder
// that cannot be read or has none.
Result<ReplayInputs> read_findings(const std::vector<std::string>& inputs);

}  // namespace heddle

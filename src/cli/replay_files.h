// What heddle replay is given: files of findings, and folders of such files.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"
#include "report/explore/replay_reports.h"

namespace heddle {

struct ReplayInputs {
  std::vector<ReplayedFile> files;  // with a finding, or the trouble with the file
  bool are_several = false;         // also where a folder has only one
};

// In the order of the inputs, of a folder all that ends in .json, by their names. Errors: a folder
// that cannot be read or has none.
Result<ReplayInputs> read_findings(const std::vector<std::string>& inputs);

}  // namespace heddle

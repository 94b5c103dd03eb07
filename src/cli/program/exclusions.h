// The files and folders that --exclude and heddle.yaml leave out of what is read.
#pragma once

#include <string>
#include <vector>

#include "base/path_pattern.h"
#include "cli/options/options.h"
#include "heddle/result.h"

namespace heddle {

// --exclude.
OptionDefinition exclude_option();

class Exclusions {
 public:
  // Patterns of the command line are seen from the current folder, those of a file from its own.
  // Errors: bad_input for what is no pattern. REQUIRES: --exclude is the command's.
  static Result<Exclusions> of(const Arguments& arguments);

  // Standard input, which has no name, is never left out.
  bool leaves_out(const std::string& path);
  bool empty() const { return patterns_.empty(); }

  // A warning for each pattern of the command line that has left out nothing. A file is for more
  // than one program, so that its patterns may.
  std::vector<Diagnostic> idle() const;

 private:
  PathPatterns patterns_;
  std::vector<bool> is_given_;  // of each: on the command line
  std::vector<bool> is_used_;
};

}  // namespace heddle

// Files that commands about programs take, and findings that they leave.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/output/save_directory.h"
#include "heddle/constraints.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/result.h"

namespace heddle {

// Errors: bad_input with the place.
Result<Constraints> read_constraints(const std::string& path);

Result<SourceText> read_source(const std::string& path);

// Where runs of executed causes are kept, each as a finding for heddle replay and as a spec file:
// those that show something where --save says, of causes that are open one that showed nothing
// where --save-unconfirmed says.
class SavedRuns {
 public:
  // Both directories are made if need be. Error: environment, where one cannot be.
  static Result<SavedRuns> open(const Arguments& arguments);

  // Nothing of what has no directory.
  Result<void> add(const FoundExecution& execution);
  // On standard error: how many open causes have no run that could be kept.
  void say_what_is_missing() const;
  // What --save says.
  SaveDirectory& directory() { return confirmed_; }

 private:
  SaveDirectory confirmed_;
  SaveDirectory unconfirmed_;
  std::string path_;                              // of the latter, as it was given
  std::map<FindingStatus, std::size_t> missing_;  // open causes without a run
};

OptionDefinition save_unconfirmed_option(std::string_view group);

}  // namespace heddle

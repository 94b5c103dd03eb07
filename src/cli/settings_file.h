// heddle.yaml on the command line: which file counts, and the options that it stands for.
//
// The file is looked for beside what is named on the command line and in the folders above, then in
// the current folder and those above it, in each case up to the root of the repository and not
// beyond; outside of a repository only in the folder itself.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/output/output.h"
#include "heddle/result.h"

namespace heddle {

// --config and --no-config: the commands that have them read the file.
std::vector<OptionDefinition> settings_options();

// Gives the options that the command line leaves open the values of the file. Exclusions are added
// to those of the command line. Errors: bad_input with the file's place for what it says wrongly,
// and where several files could be meant.
Result<void> apply_settings(Arguments& arguments);

// Says in one line which file was used and for what, and what else there is to say about what was
// looked at (`more`; may be empty): at the beginning of a text, else on standard error.
void announce_settings(const Arguments& arguments, const std::string& more, Output& output);

}  // namespace heddle

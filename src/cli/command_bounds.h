// The bounds of a whole command: --timeout and --memory.
#pragma once

#include "cli/options/command.h"
#include "cli/options/options.h"
#include "heddle/result.h"

namespace heddle {

// From now on the command keeps to --timeout, if it has the option and it is given, and to
// --memory, if it has the option; and the first Ctrl-C brings it to a good end. REQUIRES of users:
// called first of all. Errors: --memory=... is no size.
Result<void> begin_bounds(const Arguments& arguments);

// --memory
OptionDefinition memory_option();

// Whether a signal has come. What was interrupted by a bound is an answer that is not complete.
bool is_signalled();

// Of an interruption that a bound was, not a signal: says which bound. Others stay as they are.
Diagnostic naming_bound(Diagnostic trouble);

}  // namespace heddle

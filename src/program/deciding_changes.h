// Which changes of rows a functionality gives up for: an UPDATE or DELETE whose count says that
// somebody else was there first, as the check of a version does.
#pragma once

#include <map>
#include <set>

#include "heddle/program.h"

namespace heddle::program {

// By the Raise the UPDATEs and DELETEs whose numbers of rows, or the rows that they return, decide
// whether it is reached: through conditions around it, conditions before it that leave, and
// variables that either of them assigns. That such a statement changed no row in a run says that
// the Raise is because of it. The pointers are into the functionality.
using DecidingChanges = std::map<const Raise*, std::set<const ProgramStatement*>>;
DecidingChanges deciding_changes(const Functionality& functionality);

// Whether the statement is an UPDATE or DELETE.
bool changes_rows_there(const ProgramStatement& statement);

}  // namespace heddle::program

// What could be changed in a program so that its transactions get in each other's way no more.
#pragma once

#include <cstddef>
#include <vector>

#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/program_repair.h"

namespace heddle::find {

// Single changes, functionality by functionality. What has no meaning at a functionality's level is
// left out: locks matter where a product takes them. Whether a change helps shows in searching the
// changed program.
std::vector<ProgramChange> possible_changes(const Program& program,
                                            const std::vector<FunctionalityLevel>& levels);

// Of a change, in units that only compare.
std::size_t cost_of(const ProgramChange& change);

// The changes made to a functionality of the program. Returns for each of the statements that it
// has then the number before, or kAdded (boundary_changes.h). REQUIRES: all of them are of it.
std::vector<std::size_t> apply_changes(Functionality& functionality,
                                       const std::vector<ProgramChange>& changes,
                                       const Schema& schema);

// The level of the functionality with the changes.
IsolationLevel changed_level(IsolationLevel level, const std::vector<ProgramChange>& changes);

// The functionality's statements, in the order of list_statements().
std::vector<ProgramStatement*> statements_in(Functionality& functionality);

}  // namespace heddle::find

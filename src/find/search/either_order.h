// Dependencies that come to nothing: two statements that do and find the same in either order,
// whatever the tables hold.
//
// Take a run and its dependencies: of every two operations on a row which of them came first, where
// it matters, whether or not others were between them. Leave out those between statements that
// commute. If no cycle is left, then the transactions one after the other, in an order that keeps
// what is left, do and read the same: each read has behind it and before it the same writes as in
// the run, but for some that make no difference to it, and each row the same plain writes in the
// same order with the same additions between them (Weihl 1988, commutativity-based concurrency
// control). So what has another effect than all serial orders has a cycle none of whose
// dependencies is between statements that commute; a cycle with such a dependency is no reason for
// anything.
//
// That asks two things of all levels of the program (keeps_additions()): an addition goes by what
// the addition before it left, so that none is lost, and who sees a write sees what that write was
// computed from. Serializable levels and snapshots whose first committer wins keep both, and so
// does PostgreSQL at read committed, where an UPDATE waits for the row and takes its newest
// version, and each statement sees all that was committed before it. MariaDB's repeatable read does
// not: an UPDATE makes what others have added visible in a row whose other effects stay unseen. Nor
// do levels at which two updates may read the same version.
//
// Two kinds of pairs are recognized: updates that add whole numbers to the same columns, and a
// query whose predicate holds of the rows that an update changes either before and after, or at
// neither time. What is left out: that a sum may leave the range of its type on the way, and
// triggers, which are followed nowhere.
#pragma once

#include "find/terms/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

// Whether the argument above holds where all transactions run at such levels.
bool keeps_additions(IsolationLevel level);

// A dependency of the cycle between statements that commute; null: none is known, or some of the
// program's transactions run at levels at which that proves nothing.
const FoundEdge* idle_dependency(const SearchInput& input, const FoundCycle& cycle);

}  // namespace heddle::find

// Dependencies that come to nothing: two statements that do and find the same in either order,
// whatever the tables hold.
//
// Where every transaction is serializable, what happened is some order of statements. Two that are
// next to each other and commute can change places, and nobody sees a difference; so what has
// another effect than all serial orders has a cycle none of whose dependencies is between
// statements that commute (Weihl 1988, commutativity-based concurrency control). A cycle with such
// a dependency is no reason for anything.
//
// Two kinds of pairs are recognized: updates that add whole numbers to the same columns, and a
// query whose predicate holds of the rows that an update changes either before and after, or at
// neither time. What is left out: that a sum may leave the range of its type on the way, and
// triggers, which are followed nowhere.
#pragma once

#include "find/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

// A dependency of the cycle between statements that commute; null: none is known, or its
// transactions run at levels below serializable, where a statement may see half of an order.
const FoundEdge* idle_dependency(const SearchInput& input, const FoundCycle& cycle);

}  // namespace heddle::find

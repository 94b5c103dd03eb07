// Cycles of statements: which dependencies between which functionalities could close one, by the
// statements alone.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "find/terms/conflicts.h"

namespace heddle::find {

// A dependency of a skeleton, from one of its transactions to the next.
struct SkeletonEdge {
  const Conflict* conflict = nullptr;
  std::size_t from = 0;  // transactions of the skeleton
  std::size_t to = 0;
};

// edges[i].to is edges[i + 1].from, and that of the last is edges[0].from. Each transaction is
// gone through once: a cycle that comes back to one falls apart into two cycles there, because the
// operations of a transaction are joined in both directions.
struct Skeleton {
  std::vector<SkeletonEdge> edges;
  std::size_t length = 0;  // in operations
};

// What the transactions of a group may be: conflicts[i][j] are those from i to j, and runs_again[i]
// says of each statement of i whether it may run several times.
struct CycleInput {
  std::size_t instances = 0;
  std::vector<std::vector<const std::vector<Conflict>*>> conflicts;
  std::vector<const std::vector<bool>*> runs_again;
  // Of each transaction whether what others have seen of it may be rolled back; empty: of none.
  std::vector<bool> may_be_undone = {};
  std::size_t max_length = 4;
  // Of each transaction what it is: transactions of one kind are alike. Empty: all differ.
  std::vector<std::size_t> kinds = {};
  // Whether a cycle that begins with these dependencies may be seen; empty: each may.
  std::function<bool(const std::vector<SkeletonEdge>&)> admits_path = {};
  // Asked before each choice among conflicts, since none of them may lead to a cycle that is seen;
  // true ends the enumeration; may be empty.
  std::function<bool()> is_late = {};
};

// How many operations a cycle through so many transactions has at least that begins with these
// dependencies.
std::size_t least_length(const std::vector<SkeletonEdge>& path, std::size_t instances);

// Calls `see` with each cycle through all transactions of the group, in a fixed order; false ends
// the enumeration. Of cycles that differ only in which transactions of one kind stand where, at
// least one is seen.
void enumerate_cycles(const CycleInput& input, const std::function<bool(const Skeleton&)>& see);

}  // namespace heddle::find

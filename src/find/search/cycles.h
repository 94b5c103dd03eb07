// Cycles of statements: which dependencies between which functionalities could close one, by the
// statements alone.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
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

// The parts of a ring from that one of them on with which they are least.
std::string least_rotation(const std::vector<std::string>& parts);

// The statements of the cycle by functionality, the same for all its rotations and for instances of
// one functionality in each other's place. `members`: of each transaction the functionality.
std::string rotation_free_text(const Skeleton& skeleton, const std::vector<std::size_t>& members);

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

// Leaves paths that cannot close. What a ring of dependencies needs to be a cycle is a turn: where
// all of its dependencies are wr or ww, and each transaction is left at the statement at which it
// is entered or at a later one, each statement comes behind the one before it at every level. From
// now on `input` admits no path that has no turn and with which no turn is admitted any more.
// REQUIRES: it stays where it is; its admits_path asks for nothing but statements, and admits no
// less of fewer dependencies.
void leave_out_straight(CycleInput& input);

// From a transaction of one kind to one of another, by one of their dependencies.
struct RingStep {
  std::size_t from = 0;  // kinds
  std::size_t to = 0;
  std::size_t choice = 0;  // among what may lead from the one kind to the other

  friend auto operator<=>(const RingStep&, const RingStep&) = default;
};

// Rings of which each comes once, and not once for each place where it could begin: the one that
// begins where it is the least of its rotations. That is told step by step, so that beginnings of
// others are left early: of a ring so far only the period is kept with which it repeats itself
// (necklaces, Fredricksen and Maiorana 1978, "Necklaces of beads in k colors and k-ary de Bruijn
// sequences").
class LeastRotation {
 public:
  // Whether some ring that begins with the steps so far and this one is the least of its rotations.
  bool admits(const RingStep& step) const {
    return steps_.empty() || !(step < steps_[steps_.size() - periods_.back()]);
  }

  // REQUIRES: admits(step).
  void push(const RingStep& step) {
    const std::size_t before = periods_.empty() ? 0 : periods_.back();
    const bool repeats = before > 0 && step == steps_[steps_.size() - before];
    steps_.push_back(step);
    periods_.push_back(repeats ? before : steps_.size());
  }

  // REQUIRES: more push() than pop() so far.
  void pop() {
    steps_.pop_back();
    periods_.pop_back();
  }

  // Whether the ring of all steps so far is the least of its rotations. REQUIRES: there is a step.
  bool closes() const { return steps_.size() % periods_.back() == 0; }

 private:
  std::vector<RingStep> steps_;
  std::vector<std::size_t> periods_;  // of the beginnings of steps_
};

// Calls `see` with each cycle through all transactions of the group, in a fixed order; false ends
// the enumeration. Of cycles that differ only in which transactions of one kind stand where, at
// least one is seen; through more than four transactions just one.
void enumerate_cycles(const CycleInput& input, const std::function<bool(const Skeleton&)>& see);

}  // namespace heddle::find

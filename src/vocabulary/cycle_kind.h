// What a cycle is called: the one rule, whoever found the cycle and in whatever form
// (docs/levels.md, "How cycles are told apart").
//
//   kind_of_cycle(std::array{CycleEdge{.kind = rw, .row = 0}, CycleEdge{.kind = rw, .row = 1}})
//                                                                  // write_skew
#pragma once

#include <cstddef>
#include <span>

#include "heddle/anomaly.h"
#include "heddle/dependency.h"
#include "heddle/isolation.h"

namespace heddle {

// A dependency, as far as names depend on it.
struct CycleEdge {
  DependencyKind kind = DependencyKind::wr;
  bool predicate = false;   // rw: the row was seen, or missed, by a predicate
  std::size_t row = 0;      // equal numbers: one row; so and rt: without meaning
  bool is_derived = false;  // ww: nobody saw this order of the writes, some read demands it
  // rw: the reader makes the write that the edge before leads to before it reads.
  bool reads_late = false;
  // rw: the write that is missed is a later one of the transaction that the edge before comes from.
  bool misses_the_rest = false;
};

// The name of a cycle that serializability rules out: all that explore and find look for.
// REQUIRES: `cycle` is not empty; each edge ends in the unit in which the next one starts.
AnomalyKind kind_of_cycle(std::span<const CycleEdge> cycle);

// The name of a cycle that breaks `level`. It is the name above, except where the level allows what
// that name stands for as a whole and the cycle is a special case that has a name of its own: read
// atomic allows read skews, but none that is a fractured read.
AnomalyKind kind_of_cycle(std::span<const CycleEdge> cycle, IsolationLevel level);

}  // namespace heddle

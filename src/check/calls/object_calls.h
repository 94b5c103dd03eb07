// The calls that one check has to order, with their times as ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "heddle/linearizability.h"

namespace heddle {

inline constexpr std::uint32_t kNeverReturns = std::numeric_limits<std::uint32_t>::max();

// One call of a problem. `called` and `returned` are its places among all such events of the
// problem, so that no two are equal and a < b is all there is to compare: one call precedes another
// if its `returned` is below the other's `called`. Calls precede returns of the same moment.
struct RankedCall {
  const ObjectCall* call = nullptr;
  std::uint32_t index = 0;  // into ObjectHistory::calls
  std::uint32_t called = 0;
  std::uint32_t returned = kNeverReturns;
  bool certain = true;  // it happened; the others may have
};

// How a call is taken: as it is, not at all, or as one that may have happened at any time since it
// was called, with the result that it had, or not.
enum class CallUse : std::uint8_t { as_it_is, left_out, optional };

// Calls on one object (or, for sequential order, on all), by `called`.
struct CallProblem {
  const ObjectHistory* history = nullptr;
  CallOrder order = CallOrder::linearizable;
  std::vector<RankedCall> calls;
  std::uint32_t events = 0;  // ranks are below, but for kNeverReturns
};

// The problem of the calls `indices`, ascending. Failed calls are left out, and unknown ones that
// only read. `uses` says how each of `indices` is taken; empty: all as they are. Calls that are
// called at `end` or later are left out, and those that return then are optional.
CallProblem make_problem(const ObjectHistory& history, const CallModel& model, CallOrder order,
                         std::span<const std::uint32_t> indices, std::span<const CallUse> uses = {},
                         Moment end = kNever);

// Bytes that making a problem of so many calls takes.
std::uint64_t problem_bytes(std::size_t calls);

}  // namespace heddle

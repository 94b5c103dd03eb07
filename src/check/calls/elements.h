// The elements that calls put into a queue, stack or priority queue and take out of it, where each
// is put once. Calls happen in gaps between events: gap g lies behind the event of rank g. A call
// can happen in the gaps from its `called` to in front of its `returned`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/calls/quick.h"

namespace heddle {

inline constexpr std::uint32_t kNoCall = kNeverReturns;

// An element: it is put before it is taken, so neither can be as late or as early as its call alone
// would let it. One that is never taken is taken behind all events.
struct Element {
  Value value;
  std::uint32_t put = kNoCall;   // into CallProblem::calls
  std::uint32_t take = kNoCall;  // kNoCall: never
  std::uint32_t put_called = 0, put_returned = 0;
  std::uint32_t take_called = 0, take_returned = 0;

  bool is_taken() const { return take != kNoCall; }
  // Whether it is there for certain in the gaps [put_returned, take_called).
  bool is_surely_there() const { return put_returned < take_called; }
};

struct Elements {
  std::vector<Element> elements;
  std::vector<std::uint32_t> empties;  // calls that found nothing
  std::uint32_t gaps = 0;              // one more than the last one, which lies behind all events
  std::vector<std::uint32_t> blind_takes;  // optional calls that may have taken anything
};

struct ElementReading {
  // Unknown: read. Violated: with `culprits`. None: the values are not such that they can be told
  // apart, and the search must decide.
  std::optional<Verdict> verdict;
  Elements elements;
  std::vector<std::uint32_t> culprits;
};

ElementReading read_elements(const CallProblem& problem);

// Runs `order` on the elements of a problem. Blind takes are first taken not to have happened; as
// long as an element that nobody was seen to take is in the way, one of them is taken to have taken
// it. If that does not work, what must hold wherever they happened is tried: that the elements that
// were seen to leave have an order.
using ElementOrder = QuickOutcome (*)(const CallProblem&, const Elements&);
QuickOutcome order_elements(const CallProblem& problem, ElementOrder order);

// Calls that keep an object from being empty at any moment of [first, last]: those of elements that
// are there one after the other. REQUIRES: some is there in each of these gaps.
std::vector<std::uint32_t> covering_calls(const std::vector<Element>& elements, std::uint32_t first,
                                          std::uint32_t last);

// For each gap the first one from it on in which no element must be there; `gaps` where there is
// none.
std::vector<std::uint32_t> next_empty_gaps(const Elements& elements);

// Adds the calls of an element.
void add_calls(std::vector<std::uint32_t>& calls, const Element& element);

// A call with its place in an order: by gap, phase and turn.
struct PlacedCall {
  std::uint32_t gap = 0;
  std::uint32_t phase = 0;
  std::int64_t turn = 0;
  std::uint32_t call = 0;

  friend auto operator<=>(const PlacedCall&, const PlacedCall&) = default;
};

std::vector<std::uint32_t> sorted_calls(std::vector<PlacedCall> placed);

}  // namespace heddle

// Stacks whose elements are pushed once, after Lee and Mathur ("Efficient decrease-and-conquer
// linearizability monitoring", 2025), who remove elements that do not matter until nothing is left.
// An element that can be popped in the gap in which it is pushed is one: it is there for no other
// call. The rest is there for certain from the return of its push to the call of its pop. Where no
// such interval is, the stack is empty and the history falls apart. In a block without such a gap
// some element must lie at the bottom all the time: one whose push can come before everything else
// in the block, and whose pop behind it. Any will do. Without it the block falls apart again. Trees
// over the intervals find both in O(log n), and every step takes an element away: O(n log n).
#include <algorithm>
#include <numeric>

#include "check/calls/elements.h"
#include "check/calls/trees.h"

namespace heddle {

namespace {

// In one gap: pops of what was there, then calls that leave no trace, then pushes.
enum Phase : std::uint32_t { popping, passing, pushing };

// Places between which the covers do not change: place i is the gaps [starts[i], starts[i + 1]).
struct Places {
  explicit Places(const std::vector<Element>& elements) {
    for (const Element& element : elements) {
      starts.push_back(element.put_returned);
      starts.push_back(element.take_called);
    }
    std::ranges::sort(starts);
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  }

  std::size_t of(std::uint32_t gap) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(starts, gap) - starts.begin());
  }

  std::vector<std::uint32_t> starts;
};

class BottomSearch {
 public:
  // `elements` are surely there some time, and sorted by put_returned.
  explicit BottomSearch(const std::vector<Element>& elements)
      : elements_(elements),
        places_(elements),
        covers_(count_covers()),
        by_push_(keys([](const Element& element) { return element.put_called; })),
        by_pop_(std::vector<std::uint32_t>(elements.size(), LeastKeyTree::kAbsent)),
        next_left_(elements.size() + 1) {
    std::iota(next_left_.begin(), next_left_.end(), 0);
  }

  // False: the calls of culprits() have no order.
  bool run(std::vector<PlacedCall>& placed) {
    std::vector<Range> ranges = {{0, places_.starts.size()}};
    while (!ranges.empty()) {
      const Range range = ranges.back();
      ranges.pop_back();
      const std::size_t first = left_from(range.first_element(elements_, places_));
      if (first == elements_.size()) continue;
      Range block;
      block.begin = begin_[first];
      if (block.begin >= range.end) continue;
      block.end = covers_.first_uncovered(block.begin);
      if (!take_bottoms(block, first, placed)) return false;
      ranges.push_back({block.end, range.end});
      ranges.push_back(block);
    }
    return true;
  }

  const std::vector<std::uint32_t>& culprits() const { return culprits_; }

 private:
  // Of places.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;

    // The first element that is there from `begin` on or later.
    std::size_t first_element(const std::vector<Element>& elements, const Places& places) const {
      return element_from(elements, places.starts[begin]);
    }
  };

  static std::size_t element_from(const std::vector<Element>& elements, std::uint32_t gap) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(elements, gap, {}, &Element::put_returned) - elements.begin());
  }

  template <class Key>
  std::vector<std::uint32_t> keys(Key key) const {
    std::vector<std::uint32_t> result;
    result.reserve(elements_.size());
    for (const Element& element : elements_) result.push_back(key(element));
    return result;
  }

  std::vector<std::uint32_t> count_covers() {
    std::vector<std::uint32_t> covers(places_.starts.size(), 0);
    for (const Element& element : elements_) {
      begin_.push_back(places_.of(element.put_returned));
      end_.push_back(places_.of(element.take_called));
      ++covers[begin_.back()];
      --covers[end_.back()];  // wraps, and the sum below wraps back
    }
    std::partial_sum(covers.begin(), covers.end(), covers.begin());
    return covers;
  }

  // The first element from `element` on that was not taken away.
  std::size_t left_from(std::size_t element) {
    while (next_left_[element] != element) {
      next_left_[element] = next_left_[next_left_[element]];
      element = next_left_[element];
    }
    return element;
  }

  // Takes away all that can lie at the bottom of the block, whose first element is `first`.
  bool take_bottoms(const Range& block, std::size_t first, std::vector<PlacedCall>& placed) {
    const std::uint32_t begin = places_.starts[block.begin];
    const std::uint32_t end = places_.starts[block.end];
    const std::size_t last = element_from(elements_, end);
    // Once the push of an element can come first in a block it can in all blocks inside.
    while (const auto element = by_push_.find_below(first, last, begin)) {
      by_push_.set(*element, LeastKeyTree::kAbsent);
      by_pop_.set(*element, ~elements_[*element].take_returned);
    }
    bool found = false;
    while (const auto element = by_pop_.find_below(first, last, ~end)) {
      found = true;
      by_pop_.set(*element, LeastKeyTree::kAbsent);
      place(elements_[*element], begin - 1, end, placed);
      covers_.uncover(begin_[*element], end_[*element]);
      next_left_[*element] = static_cast<std::uint32_t>(*element + 1);
    }
    if (!found) note_culprits(block, first, last);
    return found;
  }

  void place(const Element& element, std::uint32_t push, std::uint32_t pop,
             std::vector<PlacedCall>& placed) {
    ++turn_;  // what is taken away later lies further up
    placed.push_back({push, pushing, turn_, element.put});
    if (element.is_taken()) placed.push_back({pop, popping, -turn_, element.take});
  }

  // As few elements as span the block: they make up the same block, so none of them can lie at the
  // bottom of it either.
  void note_culprits(const Range& block, std::size_t first, std::size_t last) {
    std::vector<Element> left;
    for (std::size_t i = left_from(first); i < last; i = left_from(i + 1)) {
      left.push_back(elements_[i]);
    }
    culprits_ = covering_calls(left, places_.starts[block.begin], places_.starts[block.end] - 1);
  }

  const std::vector<Element>& elements_;
  Places places_;
  std::vector<std::size_t> begin_, end_;  // the places in which an element is, by element
  CoverTree covers_;
  LeastKeyTree by_push_;                  // elements whose push cannot come first yet
  LeastKeyTree by_pop_;                   // the others, the last pop first
  std::vector<std::uint32_t> next_left_;  // union-find
  std::int64_t turn_ = 0;
  std::vector<std::uint32_t> culprits_;
};

QuickOutcome order_stack_elements(const CallProblem& problem, const Elements& elements) {
  std::vector<PlacedCall> placed;
  placed.reserve(problem.calls.size());
  const std::vector<std::uint32_t> next_empty = next_empty_gaps(elements);
  for (const std::uint32_t call : elements.empties) {
    const RankedCall& empty = problem.calls[call];
    const std::uint32_t gap = next_empty[empty.called];
    if (gap >= empty.returned) {
      auto culprits = covering_calls(elements.elements, empty.called, empty.returned - 1);
      culprits.push_back(call);
      return violated(std::move(culprits));
    }
    placed.push_back({gap, passing, -1, call});
  }
  std::vector<Element> staying;
  std::int64_t turn = 0;
  for (const Element& element : elements.elements) {
    if (element.is_surely_there()) {
      staying.push_back(element);
      continue;
    }
    placed.push_back({element.take_called, passing, turn++, element.put});
    placed.push_back({element.take_called, passing, turn++, element.take});
  }
  std::ranges::sort(staying, {}, &Element::put_returned);
  if (staying.empty()) return confirmed(problem, sorted_calls(std::move(placed)));
  BottomSearch search(staying);
  if (!search.run(placed)) return violated(search.culprits());
  return confirmed(problem, sorted_calls(std::move(placed)));
}

}  // namespace

QuickOutcome order_stack(const CallProblem& problem) {
  return order_elements(problem, order_stack_elements);
}

}  // namespace heddle

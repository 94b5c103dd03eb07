// Priority queues whose elements are inserted once (Lee and Mathur, "Efficient decrease-and-conquer
// linearizability monitoring", 2025, treat them with sets, queues and stacks). An element can be
// taken at a moment at which no smaller one has to be there. Going from the smallest to the
// largest, each is inserted as late and taken as early as that allows: this never keeps a larger
// one from being taken, because what an element stays longer than it has to, it stays only while a
// smaller one is there as well. Moments that are taken up are joined (union-find): O(n log n).
#include <algorithm>
#include <numeric>

#include "check/calls/elements.h"
#include "check/calls/model_objects.h"

namespace heddle {

namespace {

// Gaps that are free, or taken up by elements seen so far.
class FreeGaps {
 public:
  explicit FreeGaps(std::uint32_t gaps) : next_(gaps + 1) {
    std::iota(next_.begin(), next_.end(), 0);
  }

  // The first free gap that is not in front of `gap`.
  std::uint32_t first_from(std::uint32_t gap) {
    while (next_[gap] != gap) {
      next_[gap] = next_[next_[gap]];
      gap = next_[gap];
    }
    return gap;
  }

  // [first, end)
  void take_up(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t gap = first_from(first); gap < end; gap = first_from(gap)) {
      next_[gap] = gap + 1;
    }
  }

 private:
  std::vector<std::uint32_t> next_;
};

QuickOutcome smaller_was_there(const std::vector<Element>& smaller, std::uint32_t called,
                               std::uint32_t returned, const Element* taken, std::uint32_t call) {
  auto culprits = covering_calls(smaller, called, returned - 1);
  if (taken) {
    add_calls(culprits, *taken);
  } else {
    culprits.push_back(call);
  }
  return violated(std::move(culprits));
}

// In one gap: first each element that is taken there, ascending, with its insertion in front of it
// if that is there too; then calls that find nothing; then what is inserted to stay.
QuickOutcome order_heap_elements(const CallProblem& problem, const Elements& elements) {
  enum Phase : std::uint32_t { taking, finding_nothing, staying };
  std::vector<Element> sorted = elements.elements;
  std::ranges::sort(sorted, [&problem](const Element& a, const Element& b) {
    return is_smaller(problem.history->texts, a.value, b.value);
  });
  FreeGaps free(elements.gaps);
  std::vector<PlacedCall> placed;
  placed.reserve(problem.calls.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Element& element = sorted[i];
    const auto turn = static_cast<std::int64_t>(i * 2);
    const std::uint32_t take =
        element.is_taken() ? free.first_from(element.take_called) : elements.gaps;
    if (element.is_taken() && take >= element.take_returned) {
      return smaller_was_there({sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(i)},
                               element.take_called, element.take_returned, &element, 0);
    }
    const std::uint32_t put = std::min(element.put_returned - 1, take);
    placed.push_back({put, put == take ? taking : staying, turn, element.put});
    if (element.is_taken()) placed.push_back({take, taking, turn + 1, element.take});
    free.take_up(element.put_returned, std::min(element.take_called, elements.gaps));
  }
  for (const std::uint32_t call : elements.empties) {
    const RankedCall& empty = problem.calls[call];
    const std::uint32_t gap = free.first_from(empty.called);
    if (gap >= empty.returned) {
      return smaller_was_there(sorted, empty.called, empty.returned, nullptr, call);
    }
    placed.push_back({gap, finding_nothing, 0, call});
  }
  return confirmed(problem, sorted_calls(std::move(placed)));
}

}  // namespace

QuickOutcome order_priority_queue(const CallProblem& problem) {
  return order_elements(problem, order_heap_elements);
}

}  // namespace heddle

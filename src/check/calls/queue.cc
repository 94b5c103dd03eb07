// Queues whose elements are put once. Bouajjani, Emmi, Enea and Hamza ("On reducing linearizability
// to state reachability", ICALP 2015) and Henzinger, Sezgin and Vafeiadis ("Aspect-oriented
// linearizability proofs", 2013) show that only four things can be wrong with such a history: an
// element is taken that is not there, taken twice, taken before one that was put in front of it, or
// a call finds the queue empty though at every moment of it some element was there. Here the
// elements are sorted so that none stands in front of one that was put or taken before it; if that
// fails, two of them are in each other's way. The moments at which the queue was found empty cut
// the history into segments, and each element falls into one. Then each call happens as early as
// its place lets it. All of it is sorting: O(n log n).
#include <algorithm>

#include "check/calls/elements.h"

namespace heddle {

namespace {

struct EmptyMoment {
  std::uint32_t gap = 0;
  std::uint32_t call = 0;

  friend auto operator<=>(const EmptyMoment&, const EmptyMoment&) = default;
};

// Two elements of which each must leave before the other.
std::vector<std::uint32_t> find_inversion(const std::vector<Element>& elements) {
  std::vector<const Element*> by_call;
  for (const Element& element : elements) by_call.push_back(&element);
  std::vector<const Element*> by_return = by_call;
  std::ranges::sort(by_call, {}, [](const Element* element) { return element->put_called; });
  std::ranges::sort(by_return, {}, [](const Element* element) { return element->put_returned; });
  const Element* last = nullptr;  // to be taken, among those that were put before
  std::size_t next = 0;
  for (const Element* element : by_call) {
    for (; next < by_return.size() && by_return[next]->put_returned < element->put_called; ++next) {
      if (!last || by_return[next]->take_called > last->take_called) last = by_return[next];
    }
    if (last && last->take_called > element->take_returned) {
      std::vector<std::uint32_t> calls;
      add_calls(calls, *last);
      add_calls(calls, *element);
      return calls;
    }
  }
  return {};
}

// Sorts elements so that none is put or taken before one in front of it: always one comes next of
// which no other was put or taken before. `elements` are of one segment.
class ElementSorter {
 public:
  explicit ElementSorter(const std::vector<const Element*>& elements)
      : elements_(elements),
        put_(elements, &Element::put_called, &Element::put_returned),
        take_(elements, &Element::take_called, &Element::take_returned),
        lacks_(elements.size(), 2),
        sorted_(elements.size(), false) {}

  // Empty: there is no such order.
  std::vector<const Element*> sort() {
    std::vector<const Element*> order;
    order.reserve(elements_.size());
    collect();
    while (!ready_.empty()) {
      const std::uint32_t element = ready_.back();
      ready_.pop_back();
      order.push_back(elements_[element]);
      sorted_[element] = true;
      collect();
    }
    if (order.size() < elements_.size()) order.clear();
    return order;
  }

 private:
  // The elements by one of their two calls.
  struct Side {
    Side(const std::vector<const Element*>& elements, std::uint32_t Element::* called_at,
         std::uint32_t Element::* returned_at)
        : called(called_at), returned(returned_at) {
      for (std::uint32_t i = 0; i < elements.size(); ++i) by_call.push_back(i);
      by_return = by_call;
      std::ranges::sort(by_call, {}, [&](std::uint32_t i) { return elements[i]->*called; });
      std::ranges::sort(by_return, {}, [&](std::uint32_t i) { return elements[i]->*returned; });
    }

    std::uint32_t Element::* called;
    std::uint32_t Element::* returned;
    std::vector<std::uint32_t> by_call;
    std::vector<std::uint32_t> by_return;
    std::size_t next_call = 0;    // those in front of it wait for no other element
    std::size_t next_return = 0;  // those in front of it are sorted
  };

  void collect() {
    collect(put_);
    collect(take_);
  }

  void collect(Side& side) {
    while (side.next_return < elements_.size() && sorted_[side.by_return[side.next_return]]) {
      ++side.next_return;
    }
    if (side.next_return == elements_.size()) return;
    const std::uint32_t first = elements_[side.by_return[side.next_return]]->*side.returned;
    while (side.next_call < elements_.size() &&
           elements_[side.by_call[side.next_call]]->*side.called < first) {
      const std::uint32_t element = side.by_call[side.next_call++];
      if (--lacks_[element] == 0) ready_.push_back(element);
    }
  }

  const std::vector<const Element*>& elements_;
  Side put_;
  Side take_;
  std::vector<std::uint8_t> lacks_;  // on how many sides an element waits for others
  std::vector<bool> sorted_;
  std::vector<std::uint32_t> ready_;
};

// The order of calls that such an order of elements means: each as early as it can be, from `gap`.
void place_calls(const std::vector<const Element*>& order, std::uint32_t gap,
                 std::vector<std::uint32_t>& calls) {
  std::vector<PlacedCall> placed;
  placed.reserve(order.size() * 2);
  std::uint32_t put = gap;
  std::uint32_t take = gap;
  std::int64_t turn = 0;
  for (const Element* element : order) {
    put = std::max(put, element->put_called);
    take = std::max({take, element->take_called, put});
    placed.push_back({put, 0, turn, element->put});
    if (element->is_taken()) placed.push_back({take, 1, turn, element->take});
    ++turn;
  }
  const std::vector<std::uint32_t> sorted = sorted_calls(std::move(placed));
  calls.insert(calls.end(), sorted.begin(), sorted.end());
}

QuickOutcome order_queue_elements(const CallProblem& problem, const Elements& elements) {
  const std::vector<std::uint32_t> next_empty = next_empty_gaps(elements);
  std::vector<EmptyMoment> empties;
  for (const std::uint32_t call : elements.empties) {
    const RankedCall& empty = problem.calls[call];
    const std::uint32_t gap = next_empty[empty.called];
    if (gap >= empty.returned) {
      auto culprits = covering_calls(elements.elements, empty.called, empty.returned - 1);
      culprits.push_back(call);
      return violated(std::move(culprits));
    }
    empties.push_back({gap, call});
  }
  std::ranges::sort(empties);
  std::vector<const Element*> by_take;
  for (const Element& element : elements.elements) by_take.push_back(&element);
  std::ranges::sort(by_take, {}, [](const Element* element) { return element->take_called; });

  std::vector<std::uint32_t> calls;
  calls.reserve(problem.calls.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i <= empties.size(); ++i) {
    const std::uint32_t end = i < empties.size() ? empties[i].gap : elements.gaps;
    std::vector<const Element*> segment;
    for (; next < by_take.size() && by_take[next]->take_called <= end; ++next) {
      segment.push_back(by_take[next]);
    }
    const std::vector<const Element*> order = ElementSorter(segment).sort();
    if (order.size() < segment.size()) {
      auto culprits = find_inversion(elements.elements);
      return culprits.empty() ? QuickOutcome() : violated(std::move(culprits));
    }
    place_calls(order, i == 0 ? 0 : empties[i - 1].gap, calls);
    if (i < empties.size()) calls.push_back(empties[i].call);
  }
  return confirmed(problem, std::move(calls));
}

}  // namespace

QuickOutcome order_queue(const CallProblem& problem) {
  return order_elements(problem, order_queue_elements);
}

}  // namespace heddle

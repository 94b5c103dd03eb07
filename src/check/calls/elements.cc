#include "check/calls/elements.h"

#include <algorithm>
#include <unordered_map>

#include "base/assert.h"
#include "check/calls/model_objects.h"

namespace heddle {

namespace {

bool is_put(const ObjectCall& call) {
  return call.function == ObjectFunction::enqueue || call.function == ObjectFunction::push ||
         call.function == ObjectFunction::insert;
}

class ElementReader {
 public:
  explicit ElementReader(const CallProblem& problem) : problem_(problem) {}

  ElementReading read() {
    if (!read_puts()) return {};
    for (std::uint32_t i = 0; i < problem_.calls.size(); ++i) {
      const RankedCall& call = problem_.calls[i];
      if (is_put(*call.call)) continue;
      const Value result = result_of(*call.call);
      if (!call.certain) {
        reading_.elements.has_blind_takes = true;
      } else if (result == kUnseen) {
        return {};
      } else if (result == kNil) {
        reading_.elements.empties.push_back(i);
      } else if (!note_take(i, result)) {
        return std::move(reading_);
      }
    }
    finish();
    return std::move(reading_);
  }

 private:
  // False: some value is put twice, or is none.
  bool read_puts() {
    numbers_.reserve(problem_.calls.size() / 2);
    for (std::uint32_t i = 0; i < problem_.calls.size(); ++i) {
      const ObjectCall& call = *problem_.calls[i].call;
      if (!is_put(call)) continue;
      const Value value = call.argument;
      auto& elements = reading_.elements.elements;
      if (value == kNil || value == kUnseen) return false;
      if (!numbers_.emplace(value.code, elements.size()).second) return false;
      elements.push_back({.value = value, .put = i});
    }
    return true;
  }

  // False: it cannot have taken that.
  bool note_take(std::uint32_t take, Value value) {
    const auto entry = numbers_.find(value.code);
    if (entry == numbers_.end()) return fail({take});
    Element& element = reading_.elements.elements[entry->second];
    if (element.is_taken()) return fail({element.put, element.take, take});
    element.take = take;
    if (problem_.calls[take].returned < problem_.calls[element.put].called) {
      return fail({element.put, take});
    }
    return true;
  }

  bool fail(std::vector<std::uint32_t> culprits) {
    reading_.verdict = Verdict::violated;
    reading_.culprits = std::move(culprits);
    return false;
  }

  void finish() {
    const std::uint32_t behind = problem_.events;
    Elements& found = reading_.elements;
    found.gaps = behind + 1;
    // What may not have been put and was never seen is as well not put.
    std::erase_if(found.elements, [this](const Element& element) {
      return !element.is_taken() && !problem_.calls[element.put].certain;
    });
    for (Element& element : found.elements) {
      const RankedCall& put = problem_.calls[element.put];
      element.put_called = put.called;
      element.take_called = element.is_taken() ? problem_.calls[element.take].called : behind;
      element.take_returned =
          element.is_taken() ? problem_.calls[element.take].returned : behind + 1;
      element.take_called = std::max(element.take_called, element.put_called);
      element.put_returned = std::min(put.returned, element.take_returned);
    }
    reading_.verdict = Verdict::unknown;
  }

  const CallProblem& problem_;
  ElementReading reading_;
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;
};

}  // namespace

ElementReading read_elements(const CallProblem& problem) { return ElementReader(problem).read(); }

QuickOutcome order_elements(const CallProblem& problem, ElementOrder order) {
  ElementReading reading = read_elements(problem);
  if (!reading.verdict) return {};
  if (*reading.verdict == Verdict::violated) return violated(std::move(reading.culprits));
  QuickOutcome outcome = order(problem, reading.elements);
  if (!reading.elements.has_blind_takes || outcome.verdict != Verdict::violated) return outcome;
  std::erase_if(reading.elements.elements,
                [](const Element& element) { return !element.is_taken(); });
  outcome = order(problem, reading.elements);
  if (outcome.verdict == Verdict::violated) return outcome;
  return {};
}

std::vector<std::uint32_t> covering_calls(const std::vector<Element>& elements, std::uint32_t first,
                                          std::uint32_t last) {
  std::vector<const Element*> by_start;
  for (const Element& element : elements) {
    if (element.is_surely_there()) by_start.push_back(&element);
  }
  std::ranges::sort(by_start, {}, [](const Element* element) { return element->put_returned; });
  std::vector<std::uint32_t> calls;
  const Element* farthest = nullptr;
  std::size_t next = 0;
  for (std::uint32_t gap = first; gap <= last; gap = farthest->take_called) {
    for (; next < by_start.size() && by_start[next]->put_returned <= gap; ++next) {
      if (!farthest || by_start[next]->take_called > farthest->take_called) {
        farthest = by_start[next];
      }
    }
    HEDDLE_ASSERT(farthest && farthest->take_called > gap);
    add_calls(calls, *farthest);
  }
  return calls;
}

std::vector<std::uint32_t> next_empty_gaps(const Elements& elements) {
  std::vector<std::int32_t> change(elements.gaps + 1, 0);
  for (const Element& element : elements.elements) {
    if (!element.is_surely_there()) continue;
    ++change[element.put_returned];
    --change[element.take_called];
  }
  std::vector<std::uint32_t> next(elements.gaps + 1, elements.gaps);
  std::int64_t there = 0;
  for (std::uint32_t gap = 0; gap < elements.gaps; ++gap) {
    there += change[gap];
    next[gap] = there == 0 ? gap : elements.gaps;
  }
  for (std::uint32_t gap = elements.gaps; gap-- > 0;)
    next[gap] = std::min(next[gap], next[gap + 1]);
  return next;
}

void add_calls(std::vector<std::uint32_t>& calls, const Element& element) {
  calls.push_back(element.put);
  if (element.is_taken()) calls.push_back(element.take);
}

std::vector<std::uint32_t> sorted_calls(std::vector<PlacedCall> placed) {
  std::ranges::sort(placed);
  std::vector<std::uint32_t> calls;
  calls.reserve(placed.size());
  for (const PlacedCall& call : placed) calls.push_back(call.call);
  return calls;
}

}  // namespace heddle

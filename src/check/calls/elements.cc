#include "check/calls/elements.h"

#include <algorithm>
#include <unordered_map>

#include "base/assert.h"
#include "check/calls/model_objects.h"

namespace heddle {

namespace {

// A few seconds.
constexpr std::uint64_t kMostLooks = 50'000'000;

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
        reading_.elements.blind_takes.push_back(i);
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

// By when an element must have left for the culprits to have an order: the first of them that takes
// or finds nothing returns.
std::uint32_t first_return(const CallProblem& problem, const std::vector<std::uint32_t>& culprits) {
  std::uint32_t first = kNeverReturns;
  for (const std::uint32_t call : culprits) {
    if (!is_put(*problem.calls[call].call)) first = std::min(first, problem.calls[call].returned);
  }
  return first;
}

// Gives the element a blind take that was called before that, the latest of them: what is put later
// can wait for later ones. One that it has is free again. False: there is none.
bool take_blindly(const CallProblem& problem, Elements& elements, Element& element,
                  std::uint32_t before) {
  std::vector<std::uint32_t>& takes = elements.blind_takes;
  const auto first_behind = [&](std::uint32_t moment) {
    return std::ranges::find_if(
        takes, [&](std::uint32_t take) { return problem.calls[take].called >= moment; });
  };
  if (element.is_taken()) {
    const std::uint32_t had = problem.calls[element.take].called;
    takes.insert(first_behind(had), element.take);
    before = std::min(before, had);
  }
  const auto behind = first_behind(before);
  if (behind == takes.begin()) return false;
  element.take = *(behind - 1);
  element.take_called = std::max(problem.calls[element.take].called, element.put_called);
  takes.erase(behind - 1);
  return true;
}

QuickOutcome order_with_blind_takes(const CallProblem& problem, Elements elements,
                                    ElementOrder order, QuickOutcome outcome) {
  std::uint64_t looks = 0;  // at elements
  while (outcome.verdict == Verdict::violated) {
    looks += elements.elements.size();
    if (looks > kMostLooks) return {};
    const auto lost = std::ranges::find_if(elements.elements, [&](const Element& element) {
      const bool is_seen = element.is_taken() && problem.calls[element.take].certain;
      return !is_seen && std::ranges::binary_search(outcome.calls, element.put);
    });
    const std::uint32_t before = first_return(problem, outcome.calls);
    if (lost == elements.elements.end() || !take_blindly(problem, elements, *lost, before)) {
      return {};
    }
    outcome = order(problem, elements);
  }
  return outcome;
}

}  // namespace

ElementReading read_elements(const CallProblem& problem) { return ElementReader(problem).read(); }

QuickOutcome order_elements(const CallProblem& problem, ElementOrder order) {
  ElementReading reading = read_elements(problem);
  if (!reading.verdict) return {};
  if (*reading.verdict == Verdict::violated) return violated(std::move(reading.culprits));
  QuickOutcome outcome = order(problem, reading.elements);
  if (reading.elements.blind_takes.empty() || outcome.verdict != Verdict::violated) return outcome;
  if (auto given = order_with_blind_takes(problem, reading.elements, order, outcome);
      given.verdict == Verdict::satisfied) {
    return given;
  }
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

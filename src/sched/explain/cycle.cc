// Rounds are looked for from the end. It may be in the middle of one, as may the beginning of what
// is looked through.
#include "sched/explain/cycle.h"

#include <algorithm>

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kLongest = 500;  // steps of a round
constexpr std::size_t kFewest = 3;     // rounds

// Values differ from round to round where something counts them.
bool is_same_step(const Event& one, const Event& other) {
  const std::uintptr_t here = one.stack.empty() ? 0 : one.stack.front();
  const std::uintptr_t there = other.stack.empty() ? 0 : other.stack.front();
  return one.place.task == other.place.task && one.kind == other.kind &&
         one.object == other.object && here == there;
}

}  // namespace

std::optional<Cycle> find_cycle(const std::vector<Event>& events, TaskSet tasks) {
  std::vector<std::size_t> steps;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].step) steps.push_back(i);
  }
  // The last step is the one that was too many.
  if (!steps.empty()) steps.pop_back();
  for (std::size_t length = 1; length <= std::min(kLongest, steps.size() / kFewest); ++length) {
    std::size_t same = 0;
    while (same + length < steps.size() &&
           is_same_step(events[steps[steps.size() - 1 - same]],
                        events[steps[steps.size() - 1 - same - length]])) {
      ++same;
    }
    if (same < (kFewest - 1) * length) continue;
    TaskSet left_out = tasks;
    for (std::size_t i = steps.size() - length; i < steps.size(); ++i) {
      left_out &= ~only(events[steps[i]].place.task);
    }
    if (left_out != 0) continue;
    return Cycle{{steps.end() - static_cast<std::ptrdiff_t>(length), steps.end()},
                 same / length + 1};
  }
  return std::nullopt;
}

}  // namespace heddle::sched::runtime

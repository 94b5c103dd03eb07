// What people call a mistake.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sched/explain/accesses.h"
#include "sched/explain/nearest_pass.h"

namespace heddle::sched::runtime {

// What a pattern is told by.
struct FailureShape {
  const Failure& failure;
  // The failing execution's, then what threads wait for, then what they would have gone on with.
  const std::vector<Event>& events;
  const std::vector<Access>& accesses;  // one for each event
  std::optional<EventPair> pair;        // the one whose order decides, or that nothing orders
  bool is_race = false;
};

// The first pattern that fits, in the order of how special they are.
std::optional<std::size_t> find_pattern(const FailureShape& shape);

// "lost update".
const char* pattern_name(std::size_t pattern);

}  // namespace heddle::sched::runtime

// Why an execution fails: which two accesses decide by their order, from where on nothing can save
// it, and what the pattern is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sched/explain/continuations.h"
#include "sched/explain/nearest_pass.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

struct Explanation {
  // Those of the failing execution, and behind them what its threads wait for, if nobody can go on.
  std::vector<Event> events;
  std::size_t done = 0;  // how many of them were done
  std::optional<EventPair> deciding;
  bool is_race = false;      // nothing orders the pair; else the test passes in the other order
  std::size_t reversed = 0;  // how many pairs come in the other order in the nearest that passes
  std::size_t mutex = 0;     // what both accesses are made under
  std::optional<PointOfNoReturn> no_return;
  std::string pattern;  // empty: none that has a name
};

// REQUIRES: `failed` was recorded.
Explanation explain_why(Test& test, const Execution& failed);

}  // namespace heddle::sched::runtime

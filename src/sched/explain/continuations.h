// The point of a failing execution after which nothing can save it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sched/explain/effort.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

struct PointOfNoReturn {
  // The event after which every continuation fails; none: every execution does from the beginning.
  std::optional<std::size_t> event;
  std::uint64_t continuations = 0;
  bool are_all = false;  // there are no others
  // One that passes and goes the same way as long as that can be; none: none was tried.
  std::optional<Schedule> passing;
};

// The earliest event of `failed` from which all continuations fail that a search, those with the
// fewest preemptions first, tries with little effort. None: the time was over before. REQUIRES:
// `failed` was recorded.
std::optional<PointOfNoReturn> find_point_of_no_return(Test& test, const Execution& failed,
                                                       Effort::Clock::time_point until);

}  // namespace heddle::sched::runtime

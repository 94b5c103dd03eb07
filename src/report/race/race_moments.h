// What happens in a raced run, moment by moment: a unit arrives and is held, is let go, is
// answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/race_finding.h"

namespace heddle {

struct RaceMoment {
  enum class Kind : std::uint8_t {
    held,      // the unit has arrived, and the other party goes on
    sent,      // and is answered at once, unless its answer is a moment of its own
    answered,  // after something else has happened
  };
  std::size_t step = 0;  // into RaceFinding::steps
  Kind kind = Kind::sent;
  bool is_open = false;    // sent: the answer is a moment of its own, or never came
  bool ends_hold = false;  // sent: there is a moment in which it was held
};

// Steps of background that do not conflict are left out.
std::vector<RaceMoment> race_moments(const RaceFinding& finding);

// Where the run goes another way than serial orders do, as far as it can be told; none for results
// that are like a serial order.
std::optional<std::size_t> parting_step(const RaceFinding& finding);

}  // namespace heddle

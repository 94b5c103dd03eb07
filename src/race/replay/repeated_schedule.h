// One schedule of a pair that is run again and again, as heddle replay does with what was found.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/race_finding.h"
#include "race/replay/run_tally.h"
#include "race/turns/turn.h"
#include "race/turns/turn_controller.h"

namespace heddle {

struct RepeatedSchedule {
  // What it showed. Of an order-dependent pair both serial orders are run, and no turns.
  RaceResult result = RaceResult::confirmed;
  // after_answer: whoever has the second turn is sent as soon as the other is answered.
  RaceOrder order = RaceOrder::overlapped;
  Turns turns = {};
  std::size_t runs = 10;
};

// What one run came out as.
struct RepeatedRun {
  RaceResult result = RaceResult::nothing;
  std::string why = {};
};

RepeatedRun repeated_run(const JudgedRun& run);
// Of both serial orders.
RepeatedRun repeated_orders(const RaceVerdict& orders);

// What of the schedule the system does not send any more: "A never sends ...". Empty: it sends all.
// `record`: of a run in which the two did not overlap.
std::string missing_point(const RepeatedSchedule& schedule, const RunRecord& record);

}  // namespace heddle

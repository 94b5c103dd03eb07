#include "check/observation/real_time.h"

#include <algorithm>

namespace heddle {

RealTime::RealTime(const Observation& observation) : observation_(observation) {
  if (!observation.history().has_times) return;
  for (Node node = 1; node < observation.node_count(); ++node) {
    const RecordedTransaction& txn = times(node);
    if (txn.outcome == TransactionOutcome::committed && txn.ended != kNever) {
      by_end_.push_back(node);
    }
  }
  std::ranges::stable_sort(by_end_, {}, [&](Node node) { return times(node).ended; });
}

std::size_t RealTime::ended_before(Node node) const {
  const auto first = std::ranges::lower_bound(by_end_, times(node).began, {},
                                              [&](Node other) { return times(other).ended; });
  return static_cast<std::size_t>(first - by_end_.begin());
}

}  // namespace heddle

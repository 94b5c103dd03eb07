// Failures on a real store: the calls that one is made of, one after the other, compared with what
// should have been left.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "find/realize/realize.h"
#include "find/search/filled_row.h"
#include "heddle/find.h"
#include "heddle/split_failures.h"
#include "split/failures/rehearsal.h"

namespace heddle::failures {

class FailureRuns {
 public:
  // All outlive it. `rows`: what the tables hold at first; null: made up.
  FailureRuns(const SplitReport& split, const Compensations& compensations, const FindOptions& find,
              const ExecuteOptions& options, const std::vector<find::FilledRow>* rows);

  // The time is up, or somebody wants an end.
  bool is_over() const;
  FoundExecution execute(const PlacedFailure& placed) const;

 private:
  FoundExecution execute(const Rehearsal& rehearsal, const PlacedFailure& placed) const;
  FoundExecution run(const Rehearsal& rehearsal, const PlacedFailure& placed,
                     const find::Realization& made) const;

  const SplitReport& split_;
  const Compensations& compensations_;
  const FindOptions& find_;
  const ExecuteOptions& options_;
  const std::vector<find::FilledRow>* rows_;
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
};

}  // namespace heddle::failures

// What is kept of the runs of one cause: the one that people look at, and those that break what it
// keeps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "find/realize/realize.h"
#include "heddle/find.h"

namespace heddle::find {

// Causes of the same functionalities mostly show the same: one of each set first, then a second of
// each, so that what can be seen is seen early.
struct ExecutionOrder {
  std::vector<std::size_t> causes;
  std::size_t first_of_each = 0;  // so many of them are the first of their set
};
ExecutionOrder execution_order(const std::vector<FoundCause>& causes);

// Of the invariants those that the run breaks and that no serial order of its sessions does.
std::vector<std::string> broken_by(const Finding& finding);

// A run that left rows as no serial order does, as far as anybody knows.
struct DamagingRun {
  const FoundCycle* cycle = nullptr;
  Realization run;
};

class CauseRuns {
 public:
  // `cycle` outlives the object; `run`: what was executed, or none.
  void add(FoundExecution tried, const FoundCycle& cycle, const Realization* run);

  // A run that breaks nothing that others have not broken.
  void add_unjudged(const FoundCycle& cycle, const Realization& run);
  // Whether no run so far has broken one of these.
  bool is_gain(const std::vector<std::string>& broken) const;

  bool empty() const { return !best_; }
  bool is_confirmed() const { return best_ && best_->finding; }
  bool is_internal() const {
    return best_ && best_->finding && best_->finding->effect == Effect::internal;
  }
  bool is_error_only() const { return best_ && best_->finding && best_->finding->error_only; }
  // A limit ended the trying.
  void cut_short() { is_cut_short_ = true; }

  std::vector<DamagingRun> take_damaging() { return std::move(damaging_); }
  // The best run, and further ones for what it does not break; with how many there were of all.
  // REQUIRES: !empty().
  FoundExecution take();

 private:
  std::optional<FoundExecution> best_;
  std::size_t runs_ = 0;  // that were executed
  bool is_cut_short_ = false;
  std::vector<FoundExecution> others_;  // each breaks something
  std::vector<DamagingRun> damaging_;
};

}  // namespace heddle::find

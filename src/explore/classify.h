// From an anomalous run to a finding: run it again under observation, name the cycle, say the
// cause.
#pragma once

#include <string>
#include <vector>

#include "explore/search.h"
#include "heddle/explore.h"
#include "replay/judge.h"

namespace heddle {

// What findings at one level have in common.
struct FindingContext {
  const Scenario& scenario;
  Unit unit = Unit::session;
  std::string store;
  std::optional<IsolationLevel> isolation;
};

// Without an id. REQUIRES: judgement.anomalous or an invariant is broken.
Result<Finding> make_finding(const FindingContext& context, const OutcomeClass& outcome,
                             const SessionScripts& scripts, Judgement judgement, Runner& runner);

// What nothing came of, as something that can be run again: not shown, of no kind and without an
// id. `equal_order`: a serial order that ends as it did; empty: there is nothing to compare.
Finding unconfirmed_run(const FindingContext& context, const OutcomeClass& outcome,
                        const std::vector<std::string>& equal_order,
                        const std::vector<TableState>& initial);

// Findings of one cause as one, the smallest schedule standing for all, with its id; internal
// first, then fewest switches.
std::vector<Finding> group_by_cause(std::vector<Finding> findings);

}  // namespace heddle

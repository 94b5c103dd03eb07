#include "replay/judge.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle {

namespace {

// Some session has committed more than one transaction.
bool has_boundaries(const Run& run, const Scenario& scenario) {
  const auto units = units_of(run, scenario, Unit::transaction);
  return std::any_of(units.begin(), units.end(),
                     [](const std::vector<SerialBlock>& blocks) { return blocks.size() > 1; });
}

}  // namespace

Result<bool> Judge::equals_some_order(const Run& run, Unit unit) {
  auto serial = orders_.orders_for(run, unit);
  if (!serial) return serial.error();
  const Outcome outcome = judged_outcome(run, scenario_, unit);
  return std::any_of((*serial)->runs.begin(), (*serial)->runs.end(), [&](const SerialRun& order) {
    return is_equal(outcome, order.outcome, fixed_);
  });
}

Result<Judgement> Judge::judge(const Run& run, Unit unit) {
  Judgement judgement;
  for (const InvariantOutcome& invariant : run.invariants) {
    if (!invariant.holds) judgement.broken_invariants.push_back(invariant.name);
  }
  auto serial = orders_.orders_for(run, unit);
  if (!serial) return serial.error();
  const Outcome outcome = judged_outcome(run, scenario_, unit);
  bool final_seen = false;
  for (const SerialRun& order : (*serial)->runs) {
    OutcomeComparison comparison = compare(outcome, order.outcome, scenario_, fixed_);
    if (comparison.equal()) {
      judgement.serial.clear();
      judgement.equal_order = order.order;
      return judgement;
    }
    final_seen = final_seen || comparison.final_equal;
    judgement.serial.push_back({order.order, std::move(comparison.differences)});
  }
  std::sort(judgement.serial.begin(), judgement.serial.end(),
            [](const SerialComparison& a, const SerialComparison& b) {
              return std::make_tuple(a.differences.size(), a.order) <
                     std::make_tuple(b.differences.size(), b.order);
            });
  judgement.undecided = !(*serial)->complete;
  judgement.anomalous = !judgement.undecided;
  judgement.effect = final_seen ? Effect::external : Effect::internal;
  if (judgement.anomalous && unit == Unit::session && has_boundaries(run, scenario_)) {
    auto serializable = equals_some_order(run, Unit::transaction);
    if (!serializable) return serializable.error();
    judgement.boundary_problem = *serializable;
  }
  return judgement;
}

}  // namespace heddle

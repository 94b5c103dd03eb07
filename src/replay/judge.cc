#include "replay/judge.h"

#include <algorithm>
#include <set>
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

bool has_error(const StepOutcome& step) {
  return (step.call_end && step.call_end->error) ||
         (!step.is_call && std::ranges::any_of(step.replies, [](const Reply& reply) {
           return reply.error.has_value();
         }));
}

std::set<StepId> steps_with_errors(const std::vector<StepOutcome>& steps) {
  std::set<StepId> failed;
  for (const StepOutcome& step : steps) {
    if (has_error(step)) failed.insert(step.step);
  }
  return failed;
}

// Leaves out what ends in an error in either of the two: a step of a session, or a whole call,
// whose user sees nothing of what it read.
void leave_out_errors(Outcome& a, Outcome& b) {
  for (std::size_t i = 0; i < std::min(a.sessions.size(), b.sessions.size()); ++i) {
    std::set<StepId> failed = steps_with_errors(a.sessions[i]);
    failed.merge(steps_with_errors(b.sessions[i]));
    if (failed.empty()) continue;
    for (std::vector<StepOutcome>* steps : {&a.sessions[i], &b.sessions[i]}) {
      std::erase_if(*steps, [&](const StepOutcome& step) {
        return step.is_call || failed.contains(step.step);
      });
    }
  }
}

}  // namespace

bool Judge::differs_in_errors_alone(Outcome run, Outcome serial) const {
  leave_out_errors(run, serial);
  return is_equal(run, serial, fixed_);
}

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
      judgement.error_only = false;
      judgement.equal_order = order.order;
      return judgement;
    }
    final_seen = final_seen || comparison.final_equal;
    judgement.error_only =
        judgement.error_only ||
        (comparison.final_equal && differs_in_errors_alone(outcome, order.outcome));
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

// The oracle: is there a serial order with this outcome?
#pragma once

#include <string>
#include <vector>

#include "heddle/finding.h"
#include "replay/serial.h"

namespace heddle {

// How long an interrupted command goes on judging what it has run.
inline constexpr std::uint32_t kJudgingGraceMs = 5'000;

struct Judgement {
  bool anomalous = false;  // no serial order has this outcome
  bool undecided = false;  // not all serial orders could be run, and none of the others has it
  bool boundary_problem = false;  // a serial order of the transactions has it, none of the sessions
  Effect effect = Effect::internal;
  bool error_only = false;               // external: some serial order differs in errors alone
  std::vector<std::string> equal_order;  // not anomalous: an order that has it
  std::vector<SerialComparison> serial;  // how each serial order differs; closest first
  std::vector<std::string> broken_invariants;  // whether or not the outcome is anomalous
};

class Judge {
 public:
  // Both must outlive the judge.
  Judge(const Scenario& scenario, Runner& runner)
      : scenario_(scenario),
        orders_(scenario, runner),
        fixed_(fixed_values(runner.initial_tables())) {}

  Result<Judgement> judge(const Run& run, Unit unit);

  std::size_t serial_orders() const { return orders_.executed(); }

 private:
  Result<bool> equals_some_order(const Run& run, Unit unit);
  bool differs_in_errors_alone(Outcome run, Outcome serial) const;

  const Scenario& scenario_;
  SerialOrders orders_;
  FixedValues fixed_;
};

}  // namespace heddle

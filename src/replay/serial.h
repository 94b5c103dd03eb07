// The serial orders that a run is judged by, executed on demand and remembered.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/outcome.h"
#include "heddle/dependency.h"
#include "heddle/outcome.h"
#include "replay/runner.h"

namespace heddle {

// One executed serial order.
struct SerialRun {
  std::vector<std::string> order;  // names of the units: "s1", or "s1#2" for its second transaction
  Outcome outcome;
};

struct SerialRuns {
  std::vector<SerialRun> runs;
  bool complete = true;  // false: the bound on the number of orders was hit, or one did not run
};

// Orders beyond this many are not run; what they would excuse is then unknown, not anomalous.
inline constexpr std::size_t kMostSerialOrders = 5'040;

class SerialOrders {
 public:
  // Both must outlive the object.
  SerialOrders(const Scenario& scenario, Runner& runner) : scenario_(scenario), runner_(runner) {}

  // All orders of the units of `run`: of the sessions the store did not end, or of the transactions
  // it did not abort (with the order within each session kept).
  Result<const SerialRuns*> orders_for(const Run& run, Unit unit);

  // How many orders have been executed.
  std::size_t executed() const { return executed_; }

 private:
  Result<SerialRuns> execute(const std::vector<std::vector<SerialBlock>>& units);

  const Scenario& scenario_;
  Runner& runner_;
  std::map<std::string, SerialRuns> known_;
  std::size_t executed_ = 0;
};

// The steps of the transactions that a session committed in `run`, transaction by transaction; with
// Unit::session all its steps as one block. Indexed by session; empty for one that takes no part.
std::vector<std::vector<SerialBlock>> units_of(const Run& run, const Scenario& scenario, Unit unit);

// What the oracle compares of `run`: without what the store aborted.
Outcome judged_outcome(const Run& run, const Scenario& scenario, Unit unit);

}  // namespace heddle

// One spec file on one database, permutation after permutation, as isolationtester runs it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/scenario.h"
#include "heddle/schedule.h"
#include "replay/step_machine.h"
#include "store/store.h"

namespace heddle {

class IsolationtesterRunner {
 public:
  // Opens the sessions. `application` prefixes the sessions' application names. References must
  // outlive the runner.
  static Result<std::unique_ptr<IsolationtesterRunner>> create(const Scenario& scenario,
                                                               StoreDatabase& database,
                                                               const std::string& application,
                                                               std::uint32_t step_timeout_ms);

  // One permutation is three parts, in this order, the later ones only while run.end is complete.
  // Only the middle part needs the sessions, and only it is timed by what other sessions do.
  Run set_up(const Schedule& schedule);
  void run_sessions(Run& run);
  void tear_down(Run& run);

 private:
  IsolationtesterRunner(const Scenario& scenario, StoreDatabase& database,
                        std::vector<std::unique_ptr<StoreSession>> sessions,
                        std::uint32_t step_timeout_ms);

  bool run_session_setups(StepMachine& machine, Run& run);
  bool run_steps(StepMachine& machine, const Schedule& schedule);
  void run_session_teardowns(StepMachine& machine, Run& run);

  const Scenario& scenario_;
  StoreDatabase& database_;
  std::vector<std::unique_ptr<StoreSession>> sessions_;
  StepMachineOptions options_;
};

// All orders of the steps of all sessions, in isolationtester's order. Calls `visit` for each until
// it returns false.
void for_each_permutation(const Scenario& scenario,
                          const std::function<bool(const Schedule&)>& visit);

// How many orders there are; saturates.
std::uint64_t count_permutations(const Scenario& scenario);

}  // namespace heddle

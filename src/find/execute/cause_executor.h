// Executes causes one by one. Which of them, and when, is for others to say (execute_causes.cc).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "find/execute/cause_runs.h"
#include "find/realize/realize.h"
#include "find/search/filled_row.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/scenario.h"

namespace heddle::find {

// Any thread; several may be executed side by side.
class CauseExecutor {
 public:
  CauseExecutor() = default;
  CauseExecutor(const CauseExecutor&) = delete;
  CauseExecutor& operator=(const CauseExecutor&) = delete;
  virtual ~CauseExecutor() = default;

  // `damage`: where runs are kept that did some.
  virtual FoundExecution execute(const FoundCause& cause,
                                 std::vector<DamagingRun>& damage) const = 0;
  // One run of the cycle.
  virtual FoundExecution execute(const FoundCycle& cycle, const Realization& run) const = 0;
  // What the store runs. Error: it cannot.
  virtual Result<Scenario> scenario_of(const Realization& run) const = 0;
  // Nothing more is to be executed.
  virtual bool is_over() const = 0;
  // How many runs failed because of the store or the machine, not because of what was run.
  virtual std::size_t failed_runs() const = 0;
};

// `input` is prepared at executable_levels(), `asked` are the levels that were searched at; `rows`:
// what the tables hold at first, null: made up. All outlive what is returned.
std::unique_ptr<CauseExecutor> make_cause_executor(const Program& program, const SearchInput& input,
                                                   const std::vector<FunctionalityLevel>& asked,
                                                   const ExecuteOptions& options,
                                                   const std::vector<FilledRow>* rows);

// How a spec file declares the stores of runs, where one of them is Redis; else nothing.
std::string declared_stores(const Program& program, const StoreAddresses& on);

// The weakest levels of the store that keep what these promise; those that none keeps stay.
std::vector<FunctionalityLevel> executable_levels(const StoreAddresses& on,
                                                  std::vector<FunctionalityLevel> levels);

}  // namespace heddle::find

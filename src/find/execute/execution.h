// A store and all that stays the same while causes are executed on it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "explore/shared_server.h"
#include "find/execute/cause_executor.h"
#include "find/execute/cause_runs.h"
#include "find/search/filled_row.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"
#include "heddle/program.h"
#include "heddle/scenario.h"

namespace heddle::find {

// What executing a cause gave.
struct ExecutedCause {
  FoundExecution execution;
  std::vector<DamagingRun> damage;  // points into the cause
};

// Any thread, but for open().
class Execution {
 public:
  // Program and both options outlive it; `asked`: the level of each functionality. Errors: the
  // store cannot be started or reached, refuses the given rows, or the compiled program cannot be
  // opened.
  static Result<std::unique_ptr<Execution>> open(const Program& program, const FindOptions& options,
                                                 const ExecuteOptions& execution,
                                                 std::vector<FunctionalityLevel> asked);

  // None: it was cut short by the end of time, an interrupt, or the store. What has been confirmed
  // is so, whatever came afterwards.
  std::optional<ExecutedCause> execute(const FoundCause& cause);

  // Nothing more is to be executed.
  bool is_over() const { return is_store_gone_ || executor_->is_over(); }
  // What the store has died of; none: it has not.
  std::optional<Diagnostic> trouble() const;

  const CauseExecutor& executor() const { return *executor_; }

 private:
  Execution(const Program& program, const FindOptions& options, const ExecuteOptions& execution,
            std::vector<FunctionalityLevel> asked, Scenario nothing);

  // Asks the store for something that it cannot refuse.
  void look_at_store();

  const ExecuteOptions& options_;
  std::vector<FunctionalityLevel> asked_;
  SearchInput input_;
  Scenario nothing_;
  SharedServer server_;
  std::optional<std::vector<FilledRow>> rows_;
  std::shared_ptr<ControlledProgram> controlled_;  // kept open, so that all runs share it
  std::unique_ptr<CauseExecutor> executor_;
  std::atomic<bool> is_store_gone_ = false;
  mutable std::mutex mutex_;
  std::optional<Diagnostic> trouble_;  // guarded by mutex_
};

}  // namespace heddle::find

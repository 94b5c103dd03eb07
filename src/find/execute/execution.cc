#include "find/execute/execution.h"

#include <utility>

#include "find/execute/initial_rows.h"
#include "heddle/explore.h"
#include "store/open/store_profiles.h"

namespace heddle::find {
namespace {

Dialect dialect_of(const StoreAddresses& on) {
  const StoreProfile* const profile = on.texts.empty() ? nullptr : find_store_profile(on.texts[0]);
  return profile == nullptr ? Dialect::postgres : profile->dialect;
}

}  // namespace

Execution::Execution(const Program& program, const FindOptions& options,
                     const ExecuteOptions& execution, std::vector<FunctionalityLevel> asked,
                     Scenario nothing)
    : options_(execution),
      asked_(std::move(asked)),
      input_(prepare_search(program, options, executable_levels(execution.on, asked_))),
      nothing_(std::move(nothing)),
      server_(execution.on) {}

Result<std::unique_ptr<Execution>> Execution::open(const Program& program,
                                                   const FindOptions& options,
                                                   const ExecuteOptions& execution,
                                                   std::vector<FunctionalityLevel> asked) {
  const std::string stores = declared_stores(program, execution.on);
  Result<Scenario> nothing =
      parse_scenario(stores + "session s\nstep s1 { SELECT 1; }\n", "found.spec");
  if (!nothing) return nothing.error();
  std::unique_ptr<Execution> opened(
      new Execution(program, options, execution, std::move(asked), *std::move(nothing)));
  // All runs share a server.
  if (Result<void> ready = opened->server_.prepare_for(opened->nothing_); !ready) {
    return ready.error();
  }
  if (execution.rows) {
    auto read = read_initial_rows(program, execution.on, *execution.rows);
    if (!read) return read.error();
    opened->rows_ = std::move(*read);
  }
  if (execution.program) {
    auto controlled = execution.program(dialect_of(execution.on));
    if (!controlled) return controlled.error();
    opened->controlled_ = std::move(*controlled);
  }
  opened->executor_ = make_cause_executor(program, opened->input_, opened->asked_, execution,
                                          opened->rows_ ? &*opened->rows_ : nullptr);
  return opened;
}

std::optional<ExecutedCause> Execution::execute(const FoundCause& cause) {
  const std::size_t failed_before = executor_->failed_runs();
  ExecutedCause executed;
  executed.execution = executor_->execute(cause, executed.damage);
  if (executor_->failed_runs() > failed_before) look_at_store();
  const bool is_confirmed = executed.execution.status == FindingStatus::confirmed;
  if (!is_confirmed && is_over()) return std::nullopt;
  return executed;
}

std::optional<Diagnostic> Execution::trouble() const {
  const std::scoped_lock lock(mutex_);
  return trouble_;
}

void Execution::look_at_store() {
  const std::scoped_lock lock(mutex_);
  if (trouble_) return;
  ExploreOptions options;
  options.on = options_.on;
  options.step_timeout_ms = options_.step_timeout_ms;
  const Result<ExploreReport> report = explore(nothing_, options);
  if (report || report.error().trouble != Trouble::environment) return;
  trouble_ = report.error();
  trouble_->file.clear();
  is_store_gone_ = true;
}

}  // namespace heddle::find

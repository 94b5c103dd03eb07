// heddle::execute_findings and heddle::find_and_execute: all causes of a report, each by a
// CauseExecutor.
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel.h"
#include "find/execute/cause_executor.h"
#include "find/execute/cause_runs.h"
#include "find/execute/executed_search.h"
#include "find/execute/execution.h"
#include "find/execute/kept_causes.h"
#include "find/execute/later_calls.h"
#include "find/execute/side_by_side.h"
#include "find/search/ranking.h"
#include "find/search/search.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"
#include "heddle/find_and_execute.h"

namespace heddle {

namespace {

// A reason to stop.
constexpr const char* kDied = "the store died";

// Gives each cause of a report its execution: what was kept, or a new one.
class ReportExecution {
 public:
  ReportExecution(const Program& program, const ExecuteOptions& options, find::Execution& execution,
                  find::KeptCauses& kept, FindReport& report)
      : options_(options),
        execution_(execution),
        kept_(kept),
        report_(report),
        damage_(report.causes.size()),
        later_{
            .program = program,
            .options = options,
            .scenario_of = [&](const auto& run) { return execution.executor().scenario_of(run); },
            .execute = [&](const auto& cycle,
                           const auto& run) { return execution.executor().execute(cycle, run); },
            .is_over = [&] { return execution.is_over(); }} {}

  void run() {
    const bool is_complete = report_.bound.empty();
    const find::ExecutionOrder order = find::execution_order(report_.causes);
    execute_some(order, 0, order.first_of_each);
    execute_some(order, order.first_of_each, order.causes.size());
    const std::size_t left = report_.causes.size() - done_;
    if (left > 0) add_bound(left);
    if (!is_complete) withdraw_proofs();
    find::rank_causes(report_.causes);
  }

 private:
  void execute_some(const find::ExecutionOrder& order, std::size_t first, std::size_t end) {
    run_parallel(end - first, options_.jobs,
                 [&](std::size_t place) { execute(order.causes[first + place]); });
    find::execute_later_calls(later_, damage_, report_);
    for (std::vector<find::DamagingRun>& runs : damage_) runs.clear();
  }

  void execute(std::size_t i) {
    FoundCause& cause = report_.causes[i];
    std::optional<find::ExecutedCause> executed = take(cause);
    if (!executed && !execution_.is_over()) executed = execution_.execute(cause);
    if (!executed) return;
    cause.execution = std::move(executed->execution);
    damage_[i] = std::move(executed->damage);
    const std::scoped_lock lock(mutex_);
    ++done_;
    if (options_.executed) options_.executed(cause);
    if (options_.progress) options_.progress(done_, report_.causes.size());
  }

  std::optional<find::ExecutedCause> take(const FoundCause& cause) {
    const std::scoped_lock lock(mutex_);
    return kept_.take(cause, execution_.is_over());
  }

  void add_bound(std::size_t left) {
    const std::string why = execution_.trouble() ? std::string(kDied) : find::reason_to_stop();
    if (!report_.bound.empty()) report_.bound += "; ";
    report_.bound +=
        fmt::format("{}: {} of {} causes were not executed", why, left, report_.causes.size());
    find::say_untried(report_.causes, why);
  }

  void withdraw_proofs() {
    for (FoundCause& cause : report_.causes) {
      find::withdraw_proof(cause.execution, "the search stopped, so that there may be others");
    }
  }

  const ExecuteOptions& options_;
  find::Execution& execution_;
  find::KeptCauses& kept_;
  FindReport& report_;
  std::vector<std::vector<find::DamagingRun>> damage_;  // by cause
  find::LaterCalls later_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

bool is_cut_short(const Diagnostic& trouble) {
  return trouble.trouble == Trouble::interrupted || trouble.trouble == Trouble::bound;
}

}  // namespace

Result<void> execute_findings(const Program& program, const FindOptions& options,
                              const ExecuteOptions& execution, FindReport& report) {
  const auto opened = find::Execution::open(program, options, execution, report.levels);
  if (!opened) return opened.error();
  find::KeptCauses nothing;
  ReportExecution(program, execution, **opened, nothing, report).run();
  if (auto trouble = (*opened)->trouble()) return *std::move(trouble);
  return {};
}

Result<ExecutedSearch> find_and_execute(const Program& program, const FindOptions& options,
                                        const ExecuteOptions& execution) {
  return find::find_and_execute(program, options, execution, {});
}

namespace find {

Result<ExecutedSearch> find_and_execute(const Program& program, const FindOptions& options,
                                        const ExecuteOptions& execution,
                                        const std::function<void()>& pause) {
  const std::optional<Clock::time_point> end = end_of(options.timeout_ms);
  const auto search = Search::prepare(program, options);
  if (!search) return search.error();
  FindOptions rest = options;
  rest.timeout_ms = left_ms(end);
  ExecuteOptions limited = execution;
  limited.timeout_ms = rest.timeout_ms;
  const auto opened = Execution::open(program, rest, limited, (*search)->levels());
  if (!opened && !is_cut_short(opened.error())) return opened.error();
  ExecutedSearch done;
  if (!opened) {
    done.report = (*search)->merge(reason_to_stop());
    return done;
  }
  rest.timeout_ms = left_ms(end);
  SideBySide both(**search, **opened, rest, pause);
  both.run();
  done.trouble = (*opened)->trouble();
  done.report = (*search)->merge(done.trouble ? kDied : "");
  ReportExecution(program, limited, **opened, both.kept(), done.report).run();
  if (!done.trouble) done.trouble = (*opened)->trouble();
  return done;
}

}  // namespace find
}  // namespace heddle

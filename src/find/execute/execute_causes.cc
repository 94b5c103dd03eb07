// heddle::execute_findings: all causes of a report, each by a CauseExecutor.
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "explore/shared_server.h"
#include "find/execute/cause_executor.h"
#include "find/execute/cause_runs.h"
#include "find/execute/initial_rows.h"
#include "find/execute/later_calls.h"
#include "find/ranking.h"
#include "find/search_input.h"
#include "heddle/find.h"
#include "heddle/scenario.h"
#include "proxy/java_machine.h"

namespace heddle {

Result<void> execute_findings(const Program& program, const FindOptions& options,
                              const ExecuteOptions& execution, FindReport& report) {
  const bool is_complete = report.bound.empty();
  const find::SearchInput input =
      find::prepare_search(program, options, find::executable_levels(execution.on, report.levels));
  // All runs share a server.
  SharedServer server(execution.on);
  const Result<Scenario> nothing =
      parse_scenario("session s\nstep s1 { SELECT 1; }\n", "found.spec");
  if (Result<void> ready = server.prepare_for(*nothing); !ready) return ready;
  std::optional<std::vector<find::FilledRow>> rows;
  if (execution.rows) {
    auto read = find::read_initial_rows(program, execution.on, *execution.rows);
    if (!read) return read.error();
    rows = std::move(*read);
  }
  // All runs share a machine, too.
  std::shared_ptr<JavaMachine> machine;
  if (!execution.class_path.empty()) {
    auto opened = JavaMachine::open(execution.class_path);
    if (!opened) return opened.error();
    machine = std::move(*opened);
  }
  const std::unique_ptr<find::CauseExecutor> executor =
      find::make_cause_executor(program, input, report.levels, execution, rows ? &*rows : nullptr);
  std::vector<std::vector<find::DamagingRun>> damage(report.causes.size());
  const find::LaterCalls later{
      .program = program,
      .options = execution,
      .scenario_of = [&](const auto& run) { return executor->scenario_of(run); },
      .execute = [&](const auto& cycle, const auto& run) { return executor->execute(cycle, run); },
      .is_over = [&] { return executor->is_over(); }};
  std::mutex mutex;
  std::size_t done = 0;
  const find::ExecutionOrder order = find::execution_order(report.causes);
  const auto execute_some = [&](std::size_t first, std::size_t end) {
    run_parallel(end - first, execution.jobs, [&](std::size_t place) {
      if (executor->is_over()) return;
      const std::size_t i = order.causes[first + place];
      report.causes[i].execution = executor->execute(report.causes[i], damage[i]);
      const std::scoped_lock lock(mutex);
      ++done;
      if (execution.executed) execution.executed(report.causes[i]);
      if (execution.progress) execution.progress(done, report.causes.size());
    });
    find::execute_later_calls(later, damage, report);
    for (std::vector<find::DamagingRun>& runs : damage) runs.clear();
  };
  execute_some(0, order.first_of_each);
  execute_some(order.first_of_each, order.causes.size());
  if (done < report.causes.size()) {
    const std::string_view limit = interrupted() ? "interrupted" : "--timeout";
    if (!report.bound.empty()) report.bound += "; ";
    report.bound += fmt::format("{}: {} of {} causes were not executed", limit,
                                report.causes.size() - done, report.causes.size());
    find::say_untried(report.causes, limit);
  }
  if (!is_complete) {
    for (FoundCause& cause : report.causes) {
      find::withdraw_proof(cause.execution, "the search stopped, so that there may be others");
    }
  }
  find::rank_causes(report.causes);
  return {};
}

}  // namespace heddle

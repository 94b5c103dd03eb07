// heddle::execute_findings: a scenario for each cause, executed as `explore` executes one.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/text.h"
#include "explore/shared_server.h"
#include "find/realization_text.h"
#include "find/realize.h"
#include "find/search_input.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/scenario.h"

namespace heddle {

namespace {

// Cycles of one cause that are tried.
constexpr std::size_t kMostCycles = 3;

// The weakest level of PostgreSQL at which everything is legal at that level, too; none: there is
// none.
std::optional<IsolationLevel> executable_level(IsolationLevel level) {
  constexpr std::array kLevels = {IsolationLevel::postgres_read_committed,
                                  IsolationLevel::postgres_repeatable_read,
                                  IsolationLevel::postgres_serializable};
  const auto found = std::ranges::find_if(
      kLevels, [&](IsolationLevel candidate) { return implies(candidate, level); });
  return found == kLevels.end() ? std::nullopt : std::optional(*found);
}

// What people look at first.
int rank(const FoundExecution& execution) {
  if (execution.finding) return execution.finding->effect == Effect::internal ? 0 : 1;
  return execution.status == FindingStatus::possible ? 3 : 2;
}

bool is_better(const FoundExecution& a, const FoundExecution& b) {
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return a.broken_invariants.size() > b.broken_invariants.size();
}

// Those that no serial order breaks.
std::vector<std::string> broken_by(const Finding& finding) {
  std::vector<std::string> broken;
  for (const std::string& name : finding.broken_invariants) {
    const std::string where = fmt::format("invariant \"{}\"", name);
    const bool holds_serially =
        std::ranges::all_of(finding.serial, [&](const SerialComparison& serial) {
          return std::ranges::find(serial.differences, where, &Difference::where) !=
                 serial.differences.end();
        });
    if (holds_serially) broken.push_back(name);
  }
  return broken;
}

// What nobody has to look at comes last.
int place_of(const FoundCause& cause) {
  if (!cause.execution) return 3;
  const bool is_refuted = cause.execution->status == FindingStatus::refuted;
  return is_refuted ? 4 : rank(*cause.execution);
}

class Executor {
 public:
  Executor(const Program& program, const find::SearchInput& input,
           const std::vector<FunctionalityLevel>& asked, const ExecuteOptions& options)
      : program_(program), input_(input), asked_(asked), options_(options) {
    if (options.timeout_ms) end_ = Clock::now() + std::chrono::milliseconds(*options.timeout_ms);
  }

  // Nothing more is to be executed.
  bool is_over() const { return interrupted() || (end_ && Clock::now() >= *end_); }

  FoundExecution execute(const FoundCause& cause) const {
    std::optional<FoundExecution> best;
    for (std::size_t i = 0; i < cause.cores.size() && i < kMostCycles; ++i) {
      for (const find::Plenty plenty : {find::Plenty::much, find::Plenty::any}) {
        FoundExecution tried = execute(cause.cores[i], plenty);
        if (!best || is_better(tried, *best)) best = std::move(tried);
        const bool is_enough = rank(*best) == 0 && options_.invariants.empty();
        if (is_enough || is_over()) return *best;
      }
      if (best->finding) break;
    }
    return *best;
  }

 private:
  FoundExecution execute(const FoundCycle& cycle, find::Plenty plenty) const {
    if (program_.schema.dialect != Dialect::postgres) {
      return not_confirmed("its SQL is not PostgreSQL's");
    }
    bool is_same_level = true;
    for (const FoundNode& node : cycle.nodes) {
      const IsolationLevel level = asked_[node.functionality].level;
      is_same_level = is_same_level && executable_level(level) == level;
      if (executable_level(level)) continue;
      return not_confirmed(fmt::format("PostgreSQL has no level like {}", definition(level).name));
    }
    const find::RealizationAttempt attempt = find::realize(input_, cycle, plenty);
    FoundExecution execution = not_confirmed(attempt.reason);
    if (attempt.run) {
      const std::string text =
          find::realization_text(program_, *attempt.run, input_.levels, options_.invariants);
      const Result<Scenario> scenario = parse_scenario(text, "found.spec");
      execution = scenario ? run(*scenario) : not_confirmed(to_string(scenario.error()));
    }
    // What does not happen at a stronger level may happen at the one that was asked for.
    if (execution.status == FindingStatus::refuted && !is_same_level) {
      execution.status = FindingStatus::possible;
    }
    return execution;
  }

  static FoundExecution not_confirmed(std::string reason) {
    return {.status = FindingStatus::possible, .reason = std::move(reason), .finding = {}};
  }

  std::optional<std::uint32_t> left_ms() const {
    if (!end_) return std::nullopt;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*end_ - Clock::now());
    return static_cast<std::uint32_t>(std::max<std::int64_t>(left.count(), 1));
  }

  FoundExecution run(const Scenario& scenario) const {
    ExploreOptions options;
    options.on = options_.on;
    options.unit = input_.options.unit;
    options.step_timeout_ms = options_.step_timeout_ms;
    options.timeout_ms = left_ms();
    Result<ExploreReport> report = explore(scenario, options);
    if (!report) return not_confirmed(to_string(report.error()));
    LevelReport& level = report->levels[0];
    // A serial order ends alike and breaks the invariant, too: so did the rows at first.
    std::erase_if(level.findings, [](const Finding& finding) {
      return finding.kind == AnomalyKind::broken_invariant;
    });
    if (!level.findings.empty()) {
      FoundExecution confirmed{.status = FindingStatus::confirmed,
                               .reason = "",
                               .finding = std::move(level.findings.front())};
      confirmed.broken_invariants = broken_by(*confirmed.finding);
      return confirmed;
    }
    if (level.equal_order.empty()) return not_confirmed(level.bound);
    return {.status = FindingStatus::refuted,
            .reason = fmt::format("executed on {}, it ends as {} do one after the other",
                                  report->store, join(level.equal_order, ", ")),
            .finding = {}};
  }

  const Program& program_;
  const find::SearchInput& input_;
  const std::vector<FunctionalityLevel>& asked_;
  const ExecuteOptions& options_;
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
};

}  // namespace

Result<void> execute_findings(const Program& program, const FindOptions& options,
                              const ExecuteOptions& execution, FindReport& report) {
  std::vector<FunctionalityLevel> levels = report.levels;
  for (FunctionalityLevel& level : levels) {
    if (const auto executable = executable_level(level.level)) level.level = *executable;
  }
  const find::SearchInput input = find::prepare_search(program, options, std::move(levels));
  // All runs share a server.
  SharedServer server(execution.on);
  const Result<Scenario> nothing =
      parse_scenario("session s\nstep s1 { SELECT 1; }\n", "found.spec");
  if (Result<void> ready = server.prepare_for(*nothing); !ready) return ready;
  const Executor executor(program, input, report.levels, execution);
  std::mutex mutex;
  std::size_t done = 0;
  run_parallel(report.causes.size(), execution.jobs, [&](std::size_t i) {
    if (executor.is_over()) return;
    report.causes[i].execution = executor.execute(report.causes[i]);
    const std::scoped_lock lock(mutex);
    ++done;
    if (execution.progress) execution.progress(done, report.causes.size());
  });
  if (done < report.causes.size()) {
    if (!report.bound.empty()) report.bound += "; ";
    report.bound += fmt::format("{}: {} of {} causes were not executed",
                                interrupted() ? "interrupted" : "--timeout",
                                report.causes.size() - done, report.causes.size());
  }
  std::ranges::stable_sort(report.causes, {}, place_of);
  return {};
}

}  // namespace heddle

#include "split/failures/failure_runs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "base/interrupt.h"
#include "explore/own_levels.h"
#include "replay/runner.h"
#include "split/failures/judge_failure.h"
#include "split/failures/staged_calls.h"
#include "store/open/open.h"

namespace heddle::failures {

namespace {

FoundExecution not_executed(std::string reason) {
  return {.status = FindingStatus::not_executable, .reason = std::move(reason), .finding = {}};
}

FoundExecution untried() {
  return {.status = FindingStatus::possible,
          .reason = "no time was left to execute it",
          .is_cut_short = true,
          .finding = {}};
}

// What is confirmed before what is not shown before what was not run; then what breaks more.
bool is_better(const FoundExecution& a, const FoundExecution& b) {
  const auto rank = [](const FoundExecution& one) {
    return one.status == FindingStatus::confirmed ? 2 : one.was_run ? 1 : 0;
  };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  return a.broken_invariants.size() > b.broken_invariants.size();
}

}  // namespace

FailureRuns::FailureRuns(const SplitReport& split, const Compensations& compensations,
                         const FindOptions& find, const ExecuteOptions& options,
                         const std::vector<find::FilledRow>* rows)
    : split_(split), compensations_(compensations), find_(find), options_(options), rows_(rows) {
  if (options.timeout_ms) end_ = Clock::now() + std::chrono::milliseconds(*options.timeout_ms);
}

bool FailureRuns::is_over() const { return interrupted() || (end_ && Clock::now() >= *end_); }

FoundExecution FailureRuns::execute(const PlacedFailure& placed) const {
  const Dialect dialect = split_.chopped.program.schema.dialect;
  if (dialect == Dialect::mysql) return not_executed("its SQL is MySQL's");
  if (dialect == Dialect::sqlite) return not_executed("its SQL is SQLite's");
  return execute(Rehearsal(placed, split_.chopped, compensations_, find_), placed);
}

// Rows and arguments are varied until a run confirms the failure, and with invariants until one
// breaks some.
FoundExecution FailureRuns::execute(const Rehearsal& rehearsal, const PlacedFailure& placed) const {
  using find::Plenty;
  static constexpr std::array kPlenty = {Plenty::much, Plenty::enough_in_one, Plenty::enough_in_two,
                                         Plenty::nothing};
  std::optional<FoundExecution> best;
  std::size_t runs = 0;
  const auto add = [&](FoundExecution tried) {
    runs += tried.runs;
    if (!best || is_better(tried, *best)) best = std::move(tried);
    best->runs = runs;
    return best->finding && (options_.invariants.empty() || !best->broken_invariants.empty());
  };
  for (const FoundCycle& question : rehearsal.questions()) {
    find::RunMaker maker(rehearsal.input(), question, rows_);
    for (const Plenty plenty : kPlenty) {
      if (is_over()) {
        if (best) best->is_cut_short = !best->finding;
        return best.value_or(untried());
      }
      const find::RealizationAttempt made = maker.make({.plenty = plenty});
      if (!made.run) {
        add(not_executed(made.reason));
        break;
      }
      if (add(run(rehearsal, placed, *made.run))) return *std::move(best);
    }
  }
  return best.value_or(not_executed("no call of it is known that would show it"));
}

FoundExecution FailureRuns::run(const Rehearsal& rehearsal, const PlacedFailure& placed,
                                const find::Realization& made) const {
  const Result<StagedCalls> staged = stage_calls(rehearsal, made, find_.rounds, options_);
  if (!staged) return not_executed(to_string(staged.error()));
  const auto server = open_stores(staged->scenario, options_.on);
  if (!server) return not_executed(to_string(server.error()));
  const RunnerOptions how{.level = stated_level(staged->scenario, **server),
                          .step_timeout_ms = options_.step_timeout_ms};
  const auto runner = Runner::create(staged->scenario, **server, how);
  if (!runner) return not_executed(to_string(runner.error()));
  Result<FoundExecution> judged =
      judge_failure(rehearsal, placed, split_.chopped, *staged, **runner, (*server)->description());
  return judged ? *std::move(judged) : not_executed(to_string(judged.error()));
}

}  // namespace heddle::failures

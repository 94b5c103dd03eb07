/// explore: a scenario, in every interleaving, on a real store.
///
///   Result<ExploreReport> report = explore(scenario, ExploreOptions{});
///   for (const Finding& finding : report->levels[0].findings) use(finding.schedule);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/finding.h"
#include "heddle/repair.h"
#include "heddle/replay.h"

namespace heddle {

/// Which interleavings to leave out.
enum class Reduction : std::uint8_t {
  none,
  conflicts,  ///< of two adjacent steps that cannot conflict, one order is enough
};

/// How to explore.
struct ExploreOptions {
  StoreAddresses on;
  std::vector<IsolationLevel> levels;  ///< several: a matrix; none: as the scenario says
  Unit unit = Unit::session;
  std::optional<std::uint32_t> preemptions;  ///< bound on preemptive switches; none: all
  Reduction reduce = Reduction::none;        ///< where all interleavings are run
  bool repair = false;  ///< look for repairs of what is found, and at what trying again would do
  bool all = false;     ///< all interleavings even where the file names permutations
  bool keep_unconfirmed = false;  ///< fill LevelReport::unconfirmed
  std::uint32_t jobs = 1;
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> timeout_ms;  ///< of the whole exploration
  std::uint32_t step_timeout_ms = 30'000;
  /// Called now and then with (runs done, runs known so far); may be empty. Any thread, one at a
  /// time.
  std::function<void(std::size_t, std::size_t)> progress;
};

/// What exploring at one level gave.
struct LevelReport {
  std::optional<IsolationLevel> isolation;  ///< none: as the scenario says
  Verdict verdict = Verdict::unknown;
  std::size_t interleavings = 0;  ///< distinct executed schedules
  std::size_t anomalous = 0;      ///< of these, with an outcome no serial order has
  std::size_t aborted_runs = 0;   ///< in which the store ended a session
  std::size_t serial_orders = 0;  ///< executed for comparison
  std::vector<Finding> findings;  ///< grouped by cause, internal first, then fewest switches
  std::string bound;              ///< which bound was hit; empty: none
  bool reduced = false;           ///< interleavings were left out whose outcomes others show
  std::string not_reduced;        ///< why not, where it was asked for
  /// Where the last outcome that was judged is one of a serial order: such an order.
  std::vector<std::string> equal_order = {};
  /// The last run that was judged and is as a serial order, or left nothing to compare, where the
  /// options ask for it: of no kind, not shown, and without an id.
  std::optional<Finding> unconfirmed = {};
  std::optional<RepairReport> repair;  ///< none: there is nothing to repair, or nobody asked
  std::optional<RetryReport> retry;    ///< none: no session was ended, or nobody asked
};

/// What exploring one scenario gave, at each level asked for, in that order.
struct ExploreReport {
  std::string store;
  std::vector<LevelReport> levels;
  std::vector<Diagnostic> warnings;
  /// What the store has died of when something had been run; what could not be said for that, the
  /// bounds of the levels say. None: it lives.
  std::optional<Diagnostic> trouble = {};
};

/// Errors: the scenario's setup fails, the store cannot be started or dies before anything was run.
Result<ExploreReport> explore(const Scenario& scenario, const ExploreOptions& options);

}  // namespace heddle

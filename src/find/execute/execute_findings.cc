// A scenario for each cause, executed as `explore` executes one.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "explore/finding_id.h"
#include "find/execute/broken_in.h"
#include "find/execute/cause_executor.h"
#include "find/realize/realization_text.h"
#include "find/search/refutation.h"
#include "heddle/explore.h"
#include "heddle/replay.h"
#include "program/connections.h"
#include "program/redis_commands.h"
#include "store/open/store_profiles.h"

namespace heddle {

namespace {

// Cycles of one cause that are tried.
constexpr std::size_t kMostCycles = 3;

// A store on which runs are executed, and how their scenarios name it.
struct ExecutingStore {
  find::RunStore kind;
  const StoreProfile& profile;
};

// PostgreSQL where nothing is said.
ExecutingStore store_of(const StoreAddresses& on) {
  const StoreProfile* profile = find_store_profile(on.texts.empty() ? "" : on.texts.front());
  if (profile == nullptr || !profile->executes_causes) profile = &store_profiles().front();
  switch (profile->kind) {
    case StoreKind::mariadb:
      return {find::RunStore::mariadb, *profile};
    case StoreKind::ring:
      return {find::RunStore::ring, *profile};
    case StoreKind::replicated:
      return {find::RunStore::replicated, *profile};
    default:
      return {find::RunStore::postgres, *profile};
  }
}

// The weakest level of the store at which everything is legal at that level, too; none: there is
// none.
std::optional<IsolationLevel> executable_level(const ExecutingStore& store, IsolationLevel level) {
  const std::span<const IsolationLevel> levels = store.profile.levels();
  if (std::ranges::find(levels, level) != levels.end()) return level;
  const auto found = std::ranges::find_if(
      levels, [&](IsolationLevel candidate) { return implies(candidate, level); });
  return found == levels.end() ? std::nullopt : std::optional(*found);
}

class Executor : public find::CauseExecutor {
 public:
  Executor(const Program& program, const find::SearchInput& input,
           const std::vector<FunctionalityLevel>& asked, const ExecuteOptions& options,
           const std::vector<find::FilledRow>* rows)
      : program_(program),
        input_(input),
        asked_(asked),
        options_(options),
        rows_(rows),
        refuter_(input, asked),
        services_(options.services),
        store_(store_of(options.on)) {
    // Elsewhere one transaction after the other is all that a cut comes to.
    if (store_.kind != find::RunStore::postgres) services_.clear();
    for (ServiceDeclaration& service : services_) {
      if (service.isolation) service.isolation = executable_level(store_, *service.isolation);
    }
    if (options.timeout_ms) end_ = Clock::now() + std::chrono::milliseconds(*options.timeout_ms);
  }

  // Nothing more is to be executed.
  bool is_over() const override { return interrupted() || (end_ && Clock::now() >= *end_); }

  std::size_t failed_runs() const override { return failed_runs_; }

  // `damage`: where runs are kept that did some.
  FoundExecution execute(const FoundCause& cause,
                         std::vector<find::DamagingRun>& damage) const override {
    FoundExecution execution = execute_reading(cause, damage);
    if (options_.program && execution.finding && !interrupted()) {
      execution.by_program =
          program::uses_redis(program_)
              ? ProgramRun{.is_confirmed = false, .reason = "it uses Redis, which is not held"}
              : run_program(*execution.finding);
    }
    return execution;
  }

  // One run of the cycle.
  FoundExecution execute(const FoundCycle& cycle, const find::Realization& run) const override {
    const Result<Scenario> scenario = scenario_of(run);
    FoundExecution execution =
        scenario ? this->run(*scenario, unit_of(run)) : not_executable(why_none(scenario));
    if (execution.finding) execution.made_up_tables = made_up_tables(run);
    if (execution.unconfirmed)
      execution.unconfirmed = named(*std::move(execution.unconfirmed), cycle);
    if (execution.status != FindingStatus::not_shown) return execution;
    const std::string unknown = unknown_in(cycle);
    if (const std::string above = level_above(cycle); !above.empty()) {
      execution.status = FindingStatus::possible;
      execution.reason += "; " + above;
    }
    if (!unknown.empty()) execution.reason += "; what this does is not known: " + unknown;
    if (run.goes_beyond) execution.reason += "; its loops have more rounds than were followed";
    return execution;
  }

  // Error: the store cannot run it.
  Result<Scenario> scenario_of(const find::Realization& run) const override {
    const Result<std::string> text =
        find::realization_text(program_, run, input_.levels, store_.kind,
                               {.invariants = options_.invariants,
                                .services = services_,
                                .refusals = input_.options.refusals});
    if (!text) return text.error();
    return parse_scenario(*text, "found.spec");
  }

 private:
  // By what was expected of it.
  static Finding named(Finding run, const FoundCycle& cycle) {
    run.kind = cycle.kind;
    std::vector<Finding> one;
    one.push_back(std::move(run));
    assign_ids(one);
    return std::move(one.front());
  }

  // What is at fault has a place in the scenario only where that was made.
  static std::string why_none(const Result<Scenario>& scenario) {
    const Diagnostic& trouble = scenario.error();
    return trouble.file.empty() ? trouble.what : to_string(trouble);
  }

  FoundExecution execute_reading(const FoundCause& cause,
                                 std::vector<find::DamagingRun>& damage) const {
    find::CauseRuns runs;
    for (std::size_t i = 0; i < cause.cores.size() && i < kMostCycles; ++i) {
      const FoundCycle& cycle = cause.cores[i];
      const std::string obstacle = why_not(cycle);
      bool has_borders = false;
      if (obstacle.empty()) {
        has_borders = execute(cycle, runs);
      } else if (runs.empty()) {
        runs.add(not_executable(obstacle), cycle, nullptr);
      }
      // Another cycle may do worse where numbers decide, or where this one only refuses somebody.
      const bool may_do_worse = !runs.is_internal() && (has_borders || runs.is_error_only());
      if ((runs.is_confirmed() && !may_do_worse) || is_over()) break;
    }
    if (is_over()) runs.cut_short();
    damage = runs.take_damaging();
    FoundExecution best = runs.empty() ? untried() : runs.take();
    // No run is a proof, and where one shows something there is nothing to prove.
    if (best.finding || is_over()) return best;
    if (auto proof = refuter_.refute(find::all_cycles(cause))) {
      best.status = FindingStatus::refuted;
      best.reason = *std::move(proof);
      best.is_cut_short = false;
    }
    return best;
  }

  // Some call would have to have made its rows of these.
  std::vector<std::string> made_up_tables(const find::Realization& run) const {
    if (rows_ != nullptr) return {};
    std::set<const Table*> filled;
    for (const find::Prepared& prepared : input_.prepared) {
      for (const find::FormedStatement& formed : prepared.statements) {
        if (formed.form.kind != StatementKind::insert) continue;
        for (const find::RowSource& source : formed.form.sources) {
          if (source.is_written) filled.insert(source.table);
        }
      }
    }
    std::set<std::string> names;
    for (const find::FilledRow& row : run.rows) {
      if (filled.contains(row.table)) names.insert(row.table->name);
    }
    return {names.begin(), names.end()};
  }

  // What a run shows at a stronger level than the one that was asked for says nothing of that.
  // Empty: there is none such.
  std::string level_above(const FoundCycle& cycle) const {
    for (const FoundNode& node : cycle.nodes) {
      const IsolationLevel level = asked_[node.functionality].level;
      const std::optional<IsolationLevel> executed = executable_level(store_, level);
      if (executed == level) continue;
      return fmt::format("that was at {}, which promises more than {}",
                         executed ? definition(*executed).name : "another level",
                         definition(level).name);
    }
    return "";
  }

  // A statement of the cycle's transactions that may do anything; empty: there is none.
  std::string unknown_in(const FoundCycle& cycle) const {
    for (const FoundNode& node : cycle.nodes) {
      for (const find::FormedStatement& formed : input_.prepared[node.functionality].statements) {
        const bool is_unknown = formed.form.is_unknown || formed.form.meets_any_row();
        if (is_unknown) return formed.statement->statement.text;
      }
    }
    return "";
  }

  // The finding once more, by the program itself.
  ProgramRun run_program(const Finding& finding) const {
    ReplayOptions options;
    options.on = options_.on;
    options.runs = 1;
    options.step_timeout_ms = options_.step_timeout_ms;
    options.program = options_.program;
    const Result<ReplayReport> report = replay_finding(finding, options);
    if (!report) return {.is_confirmed = false, .reason = to_string(report.error())};
    if (report->verdict == Verdict::violated) return {.is_confirmed = true, .reason = ""};
    return {.is_confirmed = false,
            .reason = report->differences.empty() ? "it was not run" : report->differences.front()};
  }

  // Why there is no point in executing the cycle; empty: there is.
  std::string why_not(const FoundCycle& cycle) const {
    const Dialect dialect = program_.schema.dialect;
    const bool is_mariadb =
        store_.kind == find::RunStore::mariadb || store_.kind == find::RunStore::ring;
    if (dialect == Dialect::mysql && !is_mariadb) return "its SQL is MySQL's";
    if (dialect == Dialect::sqlite) return "its SQL is SQLite's";
    for (const FoundNode& node : cycle.nodes) {
      const Functionality& functionality = program_.functionalities[node.functionality];
      if (!has_plain_sessions() && program::uses_several_connections(functionality)) {
        return fmt::format(
            "{} has transactions open on several connections at the same time, which is run on one "
            "PostgreSQL or MariaDB alone",
            functionality.name);
      }
      const IsolationLevel level = asked_[node.functionality].level;
      if (executable_level(store_, level)) continue;
      return fmt::format("{} has no level like {}", store_.profile.product, definition(level).name);
    }
    return "";
  }

  // Whether a session can have several connections.
  bool has_plain_sessions() const {
    const bool is_one =
        store_.kind == find::RunStore::postgres || store_.kind == find::RunStore::mariadb;
    return is_one && services_.empty();
  }

  // Runs of the cycle until one is confirmed as well as can be. Rows and arguments are varied
  // first; then what did not confirm it is not tried again.
  // Whether conditions of its transactions compare numbers.
  bool execute(const FoundCycle& cycle, find::CauseRuns& runs) const {
    using find::Delivery;
    using find::Plenty;
    struct Round {
      find::WishedRun wished;
      bool of_copies = false;  // elsewhere it is another one again
      bool excludes = false;   // what it was like, if that confirmed nothing
    };
    static constexpr std::array<Round, 8> kRounds = {{
        {.wished = {.plenty = Plenty::much, .delivery = Delivery::prompt}},
        {.wished = {.plenty = Plenty::much, .delivery = Delivery::late}, .of_copies = true},
        {.wished = {.plenty = Plenty::enough_in_one, .delivery = Delivery::prompt}},
        {.wished = {.plenty = Plenty::enough_in_two, .delivery = Delivery::prompt}},
        {.wished = {.plenty = Plenty::border, .delivery = Delivery::prompt}},
        {.wished = {.plenty = Plenty::nothing, .delivery = Delivery::prompt}, .excludes = true},
        {.wished = {.plenty = Plenty::much, .delivery = Delivery::late}, .excludes = true},
        {.wished = {.plenty = Plenty::any, .delivery = Delivery::late}, .excludes = true},
    }};
    find::RunMaker maker(input_, cycle, rows_);
    for (const Round& round : kRounds) {
      if (round.wished.plenty == Plenty::border && !maker.has_borders()) continue;
      if (round.of_copies && !maker.has_copies()) continue;
      const find::RealizationAttempt attempt = maker.make(round.wished);
      bool shows_nothing = false;
      if (!attempt.run) {
        runs.add(not_executable(attempt.reason), cycle, nullptr);
      } else if (runs.is_internal() && !breaks_more(*attempt.run, runs)) {
        // All that it can add is what a later call shows.
        runs.add_unjudged(cycle, *attempt.run);
      } else {
        FoundExecution tried = execute(cycle, *attempt.run);
        shows_nothing = !tried.finding;
        runs.add(std::move(tried), cycle, &*attempt.run);
      }
      const bool is_enough = runs.is_internal() && options_.invariants.empty();
      if (!attempt.run || is_enough || is_over()) break;
      if (round.excludes && shows_nothing) maker.exclude_last();
    }
    return maker.has_borders();
  }

  // Than the runs before it, as far as that can be asked cheaply.
  bool breaks_more(const find::Realization& run, const find::CauseRuns& runs) const {
    const Result<Scenario> scenario = scenario_of(run);
    if (!scenario) return false;
    const auto broken = find::broken_in(*scenario, options_);
    return !broken || runs.is_gain(*broken);
  }

  // A run of it is not known, or the store cannot run it.
  FoundExecution not_executable(std::string reason) const {
    if (rows_ != nullptr && reason == find::kNoSolution)
      reason += ", with the rows that were given";
    return {.status = FindingStatus::not_executable, .reason = std::move(reason), .finding = {}};
  }

  // It could be run, and a limit or an interrupt has come before that.
  static FoundExecution untried(std::string reason = "no time was left to execute it") {
    return {.status = FindingStatus::possible,
            .reason = std::move(reason),
            .is_cut_short = true,
            .finding = {}};
  }

  std::optional<std::uint32_t> left_ms() const {
    if (!end_) return std::nullopt;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*end_ - Clock::now());
    return static_cast<std::uint32_t>(std::max<std::int64_t>(left.count(), 1));
  }

  // What one call of a session did is there before the next one: all orders keep that.
  Unit unit_of(const find::Realization& run) const {
    const bool has_sessions = std::ranges::any_of(
        run.members, [&](std::size_t member) { return find::is_session(input_, member); });
    return has_sessions ? Unit::transaction : input_.options.unit;
  }

  FoundExecution run(const Scenario& scenario, Unit unit) const {
    ExploreOptions options;
    options.on = options_.on;
    options.unit = unit;
    options.step_timeout_ms = options_.step_timeout_ms;
    options.timeout_ms = left_ms();
    options.keep_unconfirmed = options_.keep_unconfirmed;
    Result<ExploreReport> report = explore(scenario, options);
    if (!report) {
      const Diagnostic& trouble = report.error();
      if (trouble.trouble == Trouble::environment) ++failed_runs_;
      const bool is_limit =
          trouble.trouble == Trouble::bound || trouble.trouble == Trouble::interrupted;
      return is_limit ? untried(to_string(trouble)) : not_executable(to_string(trouble));
    }
    LevelReport& level = report->levels[0];
    // A serial order ends alike and breaks the invariant, too: so did the rows at first.
    std::erase_if(level.findings, [](const Finding& finding) {
      return finding.kind == AnomalyKind::broken_invariant;
    });
    if (!level.findings.empty()) {
      FoundExecution confirmed{.status = FindingStatus::confirmed,
                               .reason = "",
                               .was_run = true,
                               .runs = 1,
                               .finding = std::move(level.findings.front())};
      confirmed.broken_invariants = find::broken_by(*confirmed.finding);
      return confirmed;
    }
    if (level.equal_order.empty() && !level.bound.empty()) return untried(level.bound);
    const std::string_view ended =
        level.aborted_runs > 0 ? "the store ends one of its transactions, and then " : "";
    const std::string as_serial =
        level.equal_order.empty()
            ? "nothing is left to compare"
            : fmt::format("it ends as {} do one after the other", join(level.equal_order, ", "));
    return {.status = FindingStatus::not_shown,
            .reason = fmt::format("executed on {}, {}{}", report->store, ended, as_serial),
            .was_run = true,
            .runs = 1,
            .finding = {},
            .unconfirmed = std::move(level.unconfirmed)};
  }

  const Program& program_;
  const find::SearchInput& input_;
  const std::vector<FunctionalityLevel>& asked_;
  const ExecuteOptions& options_;
  const std::vector<find::FilledRow>* rows_;  // null: made up
  find::Refuter refuter_;
  std::vector<ServiceDeclaration> services_;
  ExecutingStore store_;
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
  mutable std::atomic<std::size_t> failed_runs_ = 0;
};

}  // namespace

namespace find {

std::vector<FunctionalityLevel> executable_levels(const StoreAddresses& on,
                                                  std::vector<FunctionalityLevel> levels) {
  const ExecutingStore store = store_of(on);
  for (FunctionalityLevel& level : levels) {
    if (const auto executable = executable_level(store, level.level)) level.level = *executable;
  }
  return levels;
}

std::string declared_stores(const Program& program, const StoreAddresses& on) {
  const RunStore kind = store_of(on).kind;
  const bool has_redis = kind == RunStore::postgres || kind == RunStore::mariadb;
  return has_redis && program::uses_redis(program) ? stores_with_redis(kind) : "";
}

std::unique_ptr<CauseExecutor> make_cause_executor(const Program& program, const SearchInput& input,
                                                   const std::vector<FunctionalityLevel>& asked,
                                                   const ExecuteOptions& options,
                                                   const std::vector<FilledRow>* rows) {
  return std::make_unique<Executor>(program, input, asked, options, rows);
}

}  // namespace find
}  // namespace heddle

// heddle::explore: per level, make a database per job, run all interleavings, judge each distinct
// outcome by the serial orders, and turn the anomalous ones into findings.
#include "heddle/explore.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "explore/classify.h"
#include "explore/cluster_state.h"
#include "explore/conflicts.h"
#include "explore/own_levels.h"
#include "explore/repair.h"
#include "explore/retry.h"
#include "explore/search.h"
#include "replay/judge.h"
#include "store/open/open.h"
#include "store/store.h"

namespace heddle {

namespace {

// Distinct anomalous outcomes that are looked at one by one; the rest is counted.
constexpr std::size_t kMostExamined = 400;

struct Plan {
  std::vector<SessionScripts> scripts;
  std::vector<Schedule> schedules;  // empty: all interleavings of scripts[0]
};

Plan plan_for(const Scenario& scenario, bool all) {
  Plan plan;
  if (all || scenario.permutations.empty()) {
    plan.scripts.push_back(scripts_of(scenario));
    return plan;
  }
  for (const Permutation& permutation : scenario.permutations) {
    plan.scripts.push_back(scripts_of(scenario, permutation));
    plan.schedules.push_back(schedule_of(permutation));
  }
  return plan;
}

Result<std::vector<std::unique_ptr<Runner>>> make_runners(const Scenario& scenario,
                                                          StoreServer& server,
                                                          const RunnerOptions& options,
                                                          std::uint32_t jobs) {
  std::vector<std::unique_ptr<Runner>> runners;
  for (std::uint32_t i = 0; i < jobs; ++i) {
    auto runner = Runner::create(scenario, server, options);
    if (!runner) return runner.error();
    if (i > 0 && !begin_alike(*runners.front(), **runner)) break;
    runners.push_back(std::move(*runner));
  }
  return runners;
}

std::uint32_t jobs_for(const Scenario& scenario, const ExploreOptions& options, const Plan& plan) {
  if (touches_cluster_state(scenario)) return 1;
  const std::size_t useful = plan.schedules.empty() ? scenario.steps.size() : plan.schedules.size();
  return std::max<std::uint32_t>(
      1, std::min<std::uint32_t>(options.jobs, static_cast<std::uint32_t>(useful)));
}

// What judging has come to, class by class.
struct Judged {
  std::vector<Finding> findings;
  std::size_t classes = 0;            // these are judged, the others are not
  bool undecided = false;             // of some, not all serial orders could be run
  bool unexamined = false;            // some are anomalous, but were not looked at
  std::optional<Diagnostic> trouble;  // why it ended before the last class
};

// What was run at a level, and where what is said of it goes.
struct SearchedLevel {
  const Plan& plan;
  const SearchResult& search;
  Runner& runner;
  LevelReport& report;
  bool keep_unconfirmed = false;
};

Judged judge_all(const SearchedLevel& level, const FindingContext& context, Judge& judge) {
  Judged judged;
  for (const OutcomeClass& outcome : level.search.classes) {
    auto judgement = judge.judge(outcome.smallest, context.unit);
    if (!judgement) {
      judged.trouble = judgement.error();
      break;
    }
    const bool anomalous = judgement->anomalous;
    const bool undecided = judgement->undecided;
    level.report.equal_order = judgement->equal_order;
    if (level.keep_unconfirmed && !anomalous && !undecided) {
      level.report.unconfirmed =
          unconfirmed_run(context, outcome, judgement->equal_order, level.runner.initial_tables());
    }
    if (anomalous || !judgement->broken_invariants.empty()) {
      if (judged.findings.size() == kMostExamined) {
        judged.unexamined = true;
      } else {
        auto finding = make_finding(context, outcome, level.plan.scripts[outcome.script],
                                    std::move(*judgement), level.runner);
        if (!finding) {
          judged.trouble = finding.error();
          break;
        }
        judged.findings.push_back(std::move(*finding));
      }
    }
    ++judged.classes;
    judged.undecided = judged.undecided || undecided;
    if (anomalous) level.report.anomalous += outcome.schedules.size();
  }
  return judged;
}

// Of the judged classes only: of the others nothing may be claimed.
void count_runs(const SearchResult& search, std::size_t judged, LevelReport& level) {
  for (std::size_t i = 0; i < judged; ++i) {
    const OutcomeClass& outcome = search.classes[i];
    level.interleavings += outcome.schedules.size();
    if (!outcome.smallest.aborted.empty()) level.aborted_runs += outcome.schedules.size();
  }
}

// Which bound was hit; empty: none.
std::string bound_of(const SearchResult& search, const Judged& judged, std::size_t unjudged) {
  if (judged.trouble) {
    const std::string count = unjudged == 1
                                  ? "1 interleaving that was run"
                                  : fmt::format("{} interleavings that were run", unjudged);
    const bool is_interrupted = judged.trouble->trouble == Trouble::interrupted;
    const bool is_said = search.bound.empty() || search.bound == stop_text();
    const std::string earlier = is_said ? "" : search.bound + "; ";
    return earlier +
           (is_interrupted
                ? fmt::format("{} before {} could be judged", stop_text(), count)
                : fmt::format("{}, so that {} could not be judged", judged.trouble->what, count));
  }
  if (judged.unexamined) {
    return fmt::format("only the first {} distinct outcomes were examined", kMostExamined);
  }
  if (search.trouble) return search.trouble->what;
  if (!search.bound.empty()) return search.bound;
  if (!judged.undecided) return "";
  return fmt::format(
      "not all serial orders could be run (more than {}, or one that does not complete)",
      kMostSerialOrders);
}

std::vector<Dialect> dialects_of(const Scenario& scenario, const StoreServer& server) {
  std::vector<Dialect> dialects;
  for (std::size_t store = 0; store < std::max<std::size_t>(1, scenario.stores.size()); ++store) {
    dialects.push_back(server.part(store).dialect());
  }
  return dialects;
}

bool is_cut_short(const Diagnostic& diagnostic) {
  return diagnostic.trouble == Trouble::interrupted || diagnostic.trouble == Trouble::bound;
}

// What there is to say beyond the findings. Whatever cuts this short leaves these as they are.
Result<void> look_for_repairs(const Scenario& scenario, const ExploreOptions& options,
                              StoreServer& server, const SearchedLevel& searched,
                              std::optional<std::chrono::steady_clock::time_point> deadline) {
  const Plan& plan = searched.plan;
  LevelReport& level = searched.report;
  auto retry = examine_retries(scenario, searched.search, plan.scripts, searched.runner);
  if (!retry && !is_cut_short(retry.error())) return retry.error();
  if (retry) level.retry = std::move(*retry);
  if (level.findings.empty()) return {};
  RepairSearch repairs{.scenario = scenario,
                       .server = server,
                       .place = {dialects_of(scenario, server), level.isolation},
                       .level = level.isolation,
                       .unit = options.unit,
                       .jobs = jobs_for(scenario, options, plan),
                       .step_timeout_ms = options.step_timeout_ms,
                       .deadline = deadline,
                       .bad = {}};
  if (!repairs.place.level) repairs.place.level = server.default_level();
  for (const Finding& finding : level.findings) repairs.bad.push_back(finding.schedule);
  auto found = find_repairs(repairs);
  if (!found) return found.error();
  level.repair = std::move(*found);
  return {};
}

// A store that has died may be there again: what was run is judged then, if it can be compared with
// what is run now.
bool revive(const Scenario& scenario, StoreServer& server, const RunnerOptions& options,
            std::vector<std::unique_ptr<Runner>>& runners) {
  auto again = Runner::create(scenario, server, options);
  if (!again || !begin_alike(*runners.front(), **again)) return false;
  runners.front() = std::move(*again);
  return true;
}

// What of the search stays in the report. What the store has died of in the meantime; none: it
// lives.
Result<std::optional<Diagnostic>> judge_search(const SearchedLevel& searched,
                                               const FindingContext& context, bool is_dead) {
  const SearchResult& search = searched.search;
  LevelReport& level = searched.report;
  Judge judge(context.scenario, searched.runner);
  Judged judged;
  if (is_dead) {
    judged.trouble = search.trouble;
  } else {
    judged = judge_all(searched, context, judge);
  }
  std::optional<Diagnostic> died;
  if (judged.trouble && !is_cut_short(*judged.trouble)) died = judged.trouble;
  if (died && died->trouble != Trouble::environment) return *died;
  count_runs(search, judged.classes, level);
  level.bound = bound_of(search, judged, search.interleavings - level.interleavings);
  level.serial_orders = judge.serial_orders();
  level.findings = group_by_cause(std::move(judged.findings));
  return died;
}

struct ExploredLevel {
  LevelReport report;
  std::optional<Diagnostic> trouble = {};  // what the store has died of
};

Result<ExploredLevel> explore_level(const Scenario& scenario, const ExploreOptions& options,
                                    StoreServer& server, std::optional<IsolationLevel> isolation,
                                    const SearchOptions& search_options) {
  const Plan plan = plan_for(scenario, options.all);
  ExploredLevel explored;
  LevelReport& level = explored.report;
  level.isolation = isolation;
  RunnerOptions runner_options;
  runner_options.level = isolation;
  runner_options.step_timeout_ms = options.step_timeout_ms;
  auto runners = make_runners(scenario, server, runner_options, jobs_for(scenario, options, plan));
  if (!runners) return runners.error();
  std::optional<StepConflicts> conflicts;
  SearchOptions reduced_search = search_options;
  if (options.reduce == Reduction::conflicts && plan.schedules.empty()) {
    const Runner& first = *runners->front();
    conflicts.emplace(scenario, first.catalogue(), first.statements(),
                      dialects_of(scenario, server), isolation);
    reduced_search.conflicts = &*conflicts;
    level.reduced = conflicts->reason().empty();
    level.not_reduced = conflicts->reason();
  }
  auto search =
      search_interleavings(scenario, *runners, plan.scripts, plan.schedules, reduced_search);
  if (!search) return search.error();

  // Whoever interrupts wants to see what was found.
  const InterruptGrace grace(kJudgingGraceMs);
  const FindingContext context{scenario, options.unit, server.description(), isolation};
  bool is_dead = false;
  if (search->trouble) is_dead = !revive(scenario, server, runner_options, *runners);
  const SearchedLevel searched{plan, *search, *runners->front(), level, options.keep_unconfirmed};
  const auto judged = judge_search(searched, context, is_dead);
  if (!judged) return judged.error();
  explored.trouble = *judged ? *judged : search->trouble;
  if (options.repair && !explored.trouble && !interrupted()) {
    if (auto done = look_for_repairs(scenario, options, server, searched, search_options.deadline);
        !done) {
      return done.error();
    }
  }
  level.verdict = !level.findings.empty() ? Verdict::violated
                  : level.bound.empty()   ? Verdict::satisfied
                                          : Verdict::unknown;
  return explored;
}

// Levels that the file sets itself are not overridden; people should know.
void warn_of_own_levels(const Scenario& scenario, const StoreServer& server,
                        ExploreReport& report) {
  for (const auto& [block, level] : own_levels(scenario, server)) {
    Diagnostic warning;
    warning.what = fmt::format("this statement sets its own level, {}", level);
    warning.what_to_do = "take it out for --isolation to apply to it";
    warning.file = scenario.file;
    warning.position = block->position;
    report.warnings.push_back(std::move(warning));
  }
}

void warn_of_no_reduction(const Scenario& scenario, const LevelReport& level,
                          ExploreReport& report) {
  Diagnostic warning;
  warning.what = "all interleavings are run: " + level.not_reduced;
  if (level.isolation) warning.what += fmt::format(" (at {})", definition(*level.isolation).name);
  warning.file = scenario.file;
  report.warnings.push_back(std::move(warning));
}

// A server that fails while a scenario runs is named with it.
Diagnostic in_file(Diagnostic diagnostic, const Scenario& scenario) {
  if (diagnostic.trouble == Trouble::environment && diagnostic.file.empty()) {
    diagnostic.file = scenario.file;
  }
  return diagnostic;
}

}  // namespace

Result<ExploreReport> explore(const Scenario& scenario, const ExploreOptions& options) {
  SearchOptions search_options;
  search_options.preemptions = options.preemptions;
  search_options.progress = options.progress;
  if (options.timeout_ms) {
    search_options.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(*options.timeout_ms);
  }
  auto server = open_stores(scenario, options.on);
  if (!server) return server.error();
  ExploreReport report;
  report.store = (*server)->description();
  if (!options.levels.empty()) warn_of_own_levels(scenario, **server, report);
  std::vector<std::optional<IsolationLevel>> levels(options.levels.begin(), options.levels.end());
  if (levels.empty()) levels.push_back(stated_level(scenario, **server));
  for (const std::optional<IsolationLevel>& isolation : levels) {
    auto level = explore_level(scenario, options, **server, isolation, search_options);
    if (level) {
      if (!level->report.not_reduced.empty()) {
        warn_of_no_reduction(scenario, level->report, report);
      }
      report.levels.push_back(std::move(level->report));
      if (!report.trouble) report.trouble = std::move(level->trouble);
      continue;
    }
    // What was found at the levels before stays.
    const Diagnostic& error = level.error();
    const bool is_dead = error.trouble == Trouble::environment;
    if ((error.trouble != Trouble::interrupted && !is_dead) || report.levels.empty()) {
      return in_file(error, scenario);
    }
    if (is_dead && !report.trouble) report.trouble = in_file(error, scenario);
    LevelReport& nothing = report.levels.emplace_back();
    nothing.isolation = isolation;
    nothing.bound = is_dead ? error.what : stop_text();
  }
  return report;
}

}  // namespace heddle

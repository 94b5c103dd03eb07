// heddle::make_repair_trial: what was confirmed, once more with the repaired functionalities.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/parallel.h"
#include "explore/scenario_changes.h"
#include "explore/shared_server.h"
#include "find/execute/cause_executor.h"
#include "find/terms/search_input.h"
#include "heddle/explore.h"
#include "heddle/find_and_execute.h"
#include "heddle/scenario.h"

namespace heddle {

namespace {

// Of each scenario. With two switches away from a session that could go on, nearly all that goes
// wrong does (Musuvathi and Qadeer, "Iterative context bounding", PLDI 2007).
constexpr std::uint32_t kMostPreemptions = 2;
constexpr std::uint32_t kMostMsOfOne = 10'000;
// Causes that are run with one repair. What several of the same functionalities show is mostly the
// same.
constexpr std::size_t kMostCauses = 12;

const Functionality* find_named(const Program& program, const std::string& name) {
  const auto found = std::ranges::find(program.functionalities, name, &Functionality::name);
  return found == program.functionalities.end() ? nullptr : &*found;
}

// The finding's scenario with these functionalities and levels, and without an order. None: it
// cannot be said.
std::optional<Scenario> repaired_scenario(const Scenario& confirmed, const Program& repaired,
                                          const std::vector<FunctionalityLevel>& levels) {
  Scenario scenario = confirmed;
  scenario.permutations.clear();
  scenario.isolation.reset();
  scenario.steps.clear();
  ScenarioProgram program = *confirmed.program;
  for (Functionality& functionality : program.program.functionalities) {
    const Functionality* const changed = find_named(repaired, functionality.name);
    // One that is there only for what an invariant asks has no statements.
    if (changed != nullptr && !functionality.body.empty()) functionality = *changed;
  }
  for (Session& session : scenario.sessions) {
    if (!session.call) return std::nullopt;
    const std::string& name = program.program.functionalities[session.call->functionality].name;
    const Functionality* const called = find_named(repaired, name);
    if (called == nullptr) return std::nullopt;
    session.isolation =
        levels[static_cast<std::size_t>(called - repaired.functionalities.data())].level;
    session.steps.clear();
    session.call->steps.reset();
  }
  set_program(scenario, std::move(program));
  // Reading the text gives all that follows from it.
  auto read = parse_scenario(to_spec(scenario), confirmed.file);
  if (!read) return std::nullopt;
  return std::move(*read);
}

class RepairRuns {
 public:
  RepairRuns(const Program& program, const FindReport& report, const FindOptions& options,
             const ExecuteOptions& execution)
      : program_(program),
        report_(report),
        options_(execution),
        internal_only_(options.internal_only),
        end_(find::end_of(options.timeout_ms)),
        server_(execution.on) {}

  RepairExecution run(const ProgramRepair& repair, const UnrepairedSets& left) {
    RepairExecution execution;
    std::vector<const FoundCause*> causes = causes_of(repair, left);
    if (causes.size() > kMostCauses) {
      execution.bound = fmt::format("{} of {} causes were run", kMostCauses, causes.size());
      causes.resize(kMostCauses);
    }
    const std::vector<FunctionalityLevel> levels =
        find::executable_levels(options_.on, repair.levels);
    std::mutex mutex;
    run_parallel(causes.size(), options_.jobs, [&](std::size_t i) {
      const Finding& finding = *causes[i]->execution->finding;
      const auto scenario = repaired_scenario(finding.scenario, repair.program, levels);
      RepairExecution one =
          scenario
              ? run_one(*scenario, finding.unit)
              : RepairExecution{.bound = "what copies deliver is known of the one order alone"};
      const std::scoped_lock lock(mutex);
      execution.causes += one.orders > 0 ? 1 : 0;
      execution.orders += one.orders;
      if (execution.bound.empty()) execution.bound = one.bound;
      if (execution.goes_wrong.empty() && !one.goes_wrong.empty()) {
        execution.goes_wrong = fmt::format("{}: {}", causes[i]->id, one.goes_wrong);
        std::set<std::size_t> wrong;
        for (const FoundNode& node : causes[i]->cores.front().nodes) {
          wrong.insert(node.functionality);
        }
        execution.wrong.assign(wrong.begin(), wrong.end());
      }
    });
    return execution;
  }

 private:
  // What was confirmed, and the repair is about; of each set of functionalities one comes first.
  std::vector<const FoundCause*> causes_of(const ProgramRepair& repair,
                                           const UnrepairedSets& left) const {
    std::set<std::size_t> changed;
    for (const ProgramChange& change : repair.changes) changed.insert(change.functionality);
    std::map<std::multiset<std::string>, std::size_t> seen;
    std::vector<std::pair<std::size_t, const FoundCause*>> causes;  // with how many came before
    for (const FoundCause& cause : report_.causes) {
      if (!cause.execution || !cause.execution->finding) continue;
      const std::vector<FoundNode>& nodes = cause.cores.front().nodes;
      const std::multiset<std::string> names = names_of(nodes);
      const bool is_changed = std::ranges::any_of(
          nodes, [&](const FoundNode& node) { return changed.contains(node.functionality); });
      const bool is_left = std::ranges::any_of(left, [&](const std::vector<std::string>& set) {
        return std::ranges::includes(names, std::multiset(set.begin(), set.end()));
      });
      if (is_changed && !is_left) causes.emplace_back(seen[names]++, &cause);
    }
    std::ranges::stable_sort(causes, {}, [](const auto& one) { return one.first; });
    std::vector<const FoundCause*> chosen;
    for (const auto& [before, cause] : causes) chosen.push_back(cause);
    return chosen;
  }

  // Of the functionality of each transaction.
  std::multiset<std::string> names_of(const std::vector<FoundNode>& nodes) const {
    std::map<std::size_t, std::string> of_instance;
    for (const FoundNode& node : nodes) {
      of_instance[node.instance] = program_.functionalities[node.functionality].name;
    }
    std::multiset<std::string> names;
    for (const auto& [instance, name] : of_instance) names.insert(name);
    return names;
  }

  RepairExecution run_one(const Scenario& scenario, Unit unit) {
    if (interrupted() || (end_ && find::Clock::now() >= *end_)) {
      return {.bound = "no time was left to run all causes"};
    }
    ExploreOptions options;
    options.on = options_.on;
    options.unit = unit;
    options.preemptions = kMostPreemptions;
    options.reduce = Reduction::conflicts;
    options.step_timeout_ms = options_.step_timeout_ms;
    options.timeout_ms = std::min(kMostMsOfOne, find::left_ms(end_).value_or(kMostMsOfOne));
    {
      const std::scoped_lock lock(mutex_);
      if (auto ready = server_.prepare_for(scenario); !ready) {
        return {.bound = to_string(ready.error())};
      }
    }
    const Result<ExploreReport> report = explore(scenario, options);
    if (!report) return {.bound = to_string(report.error())};
    const LevelReport& level = report->levels[0];
    RepairExecution one{.orders = level.interleavings, .bound = level.bound};
    const auto wrong = std::ranges::find_if(level.findings, [&](const Finding& finding) {
      const bool counts = !internal_only_ || finding.effect == Effect::internal;
      return counts && finding.kind != AnomalyKind::broken_invariant;
    });
    if (wrong != level.findings.end()) one.goes_wrong = said(*wrong);
    return one;
  }

  static std::string said(const Finding& finding) {
    std::string name(definition(finding.kind).name);
    if (finding.run.aborted.empty() || !finding.cycles.empty()) return name;
    const Session& ended = finding.scenario.sessions[finding.run.aborted.front().index()];
    return fmt::format(
        "{} (the database ends a transaction of {}, and what {} has committed "
        "before stays)",
        name, ended.name, ended.name);
  }

  const Program& program_;
  const FindReport& report_;
  const ExecuteOptions options_;
  const bool internal_only_;
  const std::optional<find::Clock::time_point> end_;
  std::mutex mutex_;
  SharedServer server_;  // guarded by mutex_
};

}  // namespace

RepairTrial make_repair_trial(const Program& program, const FindReport& report,
                              const FindOptions& options, const ExecuteOptions& execution) {
  auto runs = std::make_shared<RepairRuns>(program, report, options, execution);
  return [runs](const ProgramRepair& repair, const UnrepairedSets& left) {
    return runs->run(repair, left);
  };
}

}  // namespace heddle

// heddle::explain_schedules: each stated permutation is run once under observation and judged; what
// the store did to its steps is told step by step, and the same schedule is tried at its other
// levels.
#include "heddle/why_not.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "explore/classify.h"
#include "explore/obstacles.h"
#include "explore/own_levels.h"
#include "replay/judge.h"
#include "replay/runner.h"
#include "store/open/open.h"
#include "vocabulary/product_levels.h"

namespace heddle {

namespace {

// One scenario at one level.
class ScheduleRunner {
 public:
  static Result<std::unique_ptr<ScheduleRunner>> create(const Scenario& scenario,
                                                        const ExploreOptions& options,
                                                        StoreServer& server,
                                                        std::optional<IsolationLevel> level) {
    RunnerOptions runner_options;
    runner_options.level = level;
    runner_options.step_timeout_ms = options.step_timeout_ms;
    auto runner = Runner::create(scenario, server, runner_options);
    if (!runner) return runner.error();
    return std::unique_ptr<ScheduleRunner>(
        new ScheduleRunner(scenario, options.unit, std::move(*runner)));
  }

  Result<Judgement> judge(const Permutation& permutation, Run& run) {
    auto ran = runner_->run_interleaved(scripts_of(scenario_, permutation),
                                        follow(scenario_, schedule_of(permutation)));
    if (!ran) return ran.error();
    if (auto ended = check_end(scenario_, *ran); !ended) return ended.error();
    if (ran->end != RunEnd::complete) {
      return Diagnostic{.what = ran->trouble,
                        .what_to_do = "",
                        .file = scenario_.file,
                        .position = permutation.position,
                        .trouble = Trouble::bound};
    }
    run = std::move(*ran);
    return judge_.judge(run, unit_);
  }

  Runner& runner() { return *runner_; }

 private:
  ScheduleRunner(const Scenario& scenario, Unit unit, std::unique_ptr<Runner> runner)
      : scenario_(scenario), unit_(unit), runner_(std::move(runner)), judge_(scenario, *runner_) {}

  const Scenario& scenario_;
  Unit unit_;
  std::unique_ptr<Runner> runner_;
  Judge judge_;
};

bool goes_wrong(const Judgement& judgement) {
  return judgement.anomalous || !judgement.broken_invariants.empty();
}

std::string names_of(const std::vector<SessionId>& sessions, const Scenario& scenario) {
  std::vector<std::string> names;
  for (const SessionId session : sessions) {
    names.push_back(scenario.sessions[session.index()].name);
  }
  return join(names, " and ");
}

std::string conclude(const ScheduleAnswer& answer, const Scenario& scenario,
                     const std::string& level) {
  if (answer.happens) {
    return fmt::format(
        "It happens {}: {} on {}.", level, definition(answer.finding.kind).name,
        answer.finding.rows.empty() ? "this scenario" : join(answer.finding.rows, ", "));
  }
  const std::string outcome =
      answer.equal_order.empty()
          ? "nothing is left to compare"
          : fmt::format("the outcome is that of {}", join(answer.equal_order, ", then "));
  const std::vector<SessionId>& aborted = answer.finding.run.aborted;
  if (!aborted.empty()) {
    return fmt::format("It did not happen {}: the store ends {}, and of the rest {}.", level,
                       names_of(aborted, scenario), outcome);
  }
  if (answer.finding.run.planned != answer.asked) {
    return fmt::format("It did not happen {}: the order becomes {}, and {}.", level,
                       to_string(scenario, answer.finding.run.planned), outcome);
  }
  return fmt::format("It happens in this order {} and does no harm: {}.", level, outcome);
}

std::string level_words(std::optional<IsolationLevel> level) {
  return level ? fmt::format("at {}", definition(*level).name)
               : "at the levels that the sessions set";
}

Result<ScheduleAnswer> answer_for(const Scenario& scenario, const ExploreOptions& options,
                                  const Permutation& permutation, const std::string& store,
                                  std::optional<IsolationLevel> level, ScheduleRunner& runner) {
  ScheduleAnswer answer;
  answer.asked = schedule_of(permutation);
  Run run;
  auto judgement = runner.judge(permutation, run);
  if (!judgement) return judgement.error();
  answer.happens = goes_wrong(*judgement);
  answer.equal_order = judgement->equal_order;
  OutcomeClass outcome;
  outcome.smallest = std::move(run);
  outcome.schedules = {outcome.smallest.planned};
  auto finding =
      make_finding({scenario, options.unit, store, level}, outcome,
                   scripts_of(scenario, permutation), std::move(*judgement), runner.runner());
  if (!finding) return finding.error();
  answer.finding = std::move(*finding);
  if (!answer.happens) answer.finding.status = FindingStatus::not_shown;
  answer.obstacles = obstacles_of(answer.finding);
  return answer;
}

// Whether the schedules go wrong at the store's other levels. REQUIRES: no session sets its own.
Result<void> look_elsewhere(const Scenario& scenario, const ExploreOptions& options,
                            StoreServer& server, std::optional<IsolationLevel> here,
                            std::vector<ScheduleAnswer>& answers) {
  for (const IsolationLevel level : product_levels(server.part(0).dialect())) {
    if (here && plain_level(*here) == plain_level(level)) continue;
    auto runner = ScheduleRunner::create(scenario, options, server, level);
    if (!runner) return runner.error();
    for (std::size_t i = 0; i < answers.size(); ++i) {
      Run run;
      auto judgement = (*runner)->judge(scenario.permutations[i], run);
      if (!judgement) return judgement.error();
      answers[i].elsewhere.emplace_back(level, goes_wrong(*judgement));
    }
  }
  return {};
}

}  // namespace

Result<WhyNotReport> explain_schedules(const Scenario& scenario, const ExploreOptions& options) {
  if (scenario.permutations.empty()) {
    return Diagnostic{.what = "no schedule is stated",
                      .what_to_do =
                          "write the order of steps that you fear as a permutation of the "
                          "file, or give --schedule=\"STEP STEP ...\"",
                      .file = scenario.file,
                      .position = {},
                      .trouble = Trouble::bad_input};
  }
  auto server = open_stores(scenario, options.on);
  if (!server) return server.error();
  WhyNotReport report;
  report.store = (*server)->description();
  report.isolation = options.levels.empty() ? stated_level(scenario, **server)
                                            : std::optional(options.levels.front());
  auto runner = ScheduleRunner::create(scenario, options, **server, report.isolation);
  if (!runner) return runner.error();
  for (const Permutation& permutation : scenario.permutations) {
    auto answer =
        answer_for(scenario, options, permutation, report.store, report.isolation, **runner);
    if (!answer) return answer.error();
    answer->conclusion = conclude(*answer, scenario, level_words(report.isolation));
    report.answers.push_back(std::move(*answer));
  }
  runner->reset();
  if (report.isolation && !sets_own_levels(scenario, **server)) {
    auto looked = look_elsewhere(scenario, options, **server, report.isolation, report.answers);
    if (!looked) return looked.error();
  }
  return report;
}

}  // namespace heddle
